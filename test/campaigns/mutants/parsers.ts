import { checkJpeg2000 } from '../../../activities/proofs/face/jpeg2000.ts';
import { imageHeaderOf } from '../../../domain/images/image-header.ts';
import { childrenOf, encoded, readElement } from '../../../domain/pki/read-der.ts';
import { readCrl } from '../../../domain/pki/revocation/crl.ts';
import { readCborMap } from '../../../domain/proofs/device/cbor.ts';
import { openPlayToken, type OpenedToken } from '../../../domain/proofs/device/play/play-token.ts';
import { verifyPlayIntegrity } from '../../../domain/proofs/device/play/verify-play-integrity.ts';
import { verifyDeviceRecall } from '../../../domain/proofs/device/verify-device-recall.ts';
import { readAamva } from '../../../domain/proofs/document/aamva.ts';
import { readMrz } from '../../../domain/proofs/mrz/mrz.ts';
import {
  counterOf,
  cryptogramOf,
  decrypted,
  macOf,
  openResponse,
  sessionKeysOf,
} from '../../../domain/proofs/passport/chip/secure-messaging.ts';
import { chipAuthenticationOf } from '../../../domain/proofs/passport/chip/security-infos.ts';
import { faceOf } from '../../../domain/proofs/passport/data/face.ts';
import {
  activeAuthHashOf,
  activeAuthKeyOf,
  mrzLinesOf,
} from '../../../domain/proofs/passport/data/lds.ts';
import { readSod } from '../../../domain/proofs/passport/data/sod.ts';
import { readCountryCertificate } from '../../../domain/proofs/passport/signer/certificate.ts';
import {
  createCscaStore,
  parseMasterList,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../domain/proofs/passport/verify-emrtd.ts';
import { licenceText } from '../../../simulator/document/licence.ts';
import { dg2Of, faceRecord } from '../../../simulator/passport/face-record.ts';
import { issueCrl } from '../../../simulator/roots/crl.ts';
import { createDevCsca, linkCsca } from '../../../simulator/roots/passport.ts';
import {
  at as playAt,
  certificateDigest,
  mintToken,
  newPlayKeys,
  packageName,
  payloadOf,
  requestHash,
} from '../../support/fixtures/devices/play-fixtures.ts';
import { codestream, jp2, jpeg } from '../../support/fixtures/passports/faces.ts';
import {
  at,
  bytes,
  csca,
  holder,
  mint,
  mintMasterList,
  vector,
} from '../../support/fixtures/passports/fixtures.ts';

import { attestationParsers } from './attestations.ts';
import { fileParsers } from './files.ts';
import type { Parser } from './parser.ts';
import { tokenParsers } from './tokens.ts';
import { logParsers } from './transparency.ts';

const der = ['MalformedDer'];

/** Every parser of what chips, States and phones submit, with genuine inputs of each kind. */
export async function parsers(): Promise<Parser[]> {
  const rsa = mint({ chipKey: 'rsa' }, createDevCsca(at, { profile: 'rsa-pss' }));
  const chipAuth = { group: 'brainpoolP256r1', cipher: 'aes-128', keyId: 2 } as const;
  const ec = mint({ chipAuth }, createDevCsca(at, { profile: 'brainpool-explicit' }));
  const real: { sod: string; cscaDer: string }[] = JSON.parse(
    vector('nfc-sod.json').toString(),
  ).vectors;
  const sods = [ec.input.sod, rsa.input.sod, ...real.map(({ sod }) => bytes(sod))];
  const group = (name: string): Uint8Array[] =>
    [ec, rsa].flatMap(({ input }) => input.dataGroups[name] ?? []);
  const next = createDevCsca(at, { commonName: 'CSCA Utopia next' });
  const crl = issueCrl(csca, [ec.passport.signer.serial, rsa.passport.signer.serial], at);
  const list = mintMasterList(csca, [csca.certificate, next.certificate], at);
  const portraits = [jpeg(240, 320), jp2(413, 531), codestream(600, 800)];
  const dg2 = vector('nfc-dg2-iso39794-mand.dat');
  const certificates = [csca.certificate, ec.passport.signer.certificate, linkCsca(csca, next, at)];
  const lines = [
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
  ];
  return [
    { name: 'sod', seeds: sods, read: readSod, throws: der },
    {
      name: 'passport',
      seeds: sods,
      read: (sod) => verifyEmrtd(ec.policy, { ...ec.input, sod }, at).checks.length === 11,
      throws: [],
    },
    {
      name: 'dg1',
      seeds: group('DG1'),
      read: (dg1) => readMrz(mrzLinesOf(dg1)),
      throws: [...der, 'MalformedMrz'],
    },
    {
      name: 'dg2',
      seeds: [dg2, ...portraits.map((picture) => dg2Of([faceRecord(picture)]))],
      read: faceOf,
      throws: der,
    },
    {
      name: 'image',
      seeds: [...portraits, vector('nfc-dg2-iso39794-face.jp2')],
      read: imageHeaderOf,
      throws: der,
    },
    {
      name: 'jpeg2000',
      seeds: [vector('nfc-dg2-iso39794-face.jp2')],
      read: checkJpeg2000,
      throws: ['ImageRefused'],
    },
    { name: 'dg14', seeds: group('DG14'), read: activeAuthHashOf, throws: der },
    { name: 'chip-auth', seeds: group('DG14'), read: chipAuthenticationOf, throws: der },
    { name: 'chip-response', seeds: responses(), read: openedResponse, throws: der },
    { name: 'dg15', seeds: group('DG15'), read: activeAuthKeyOf, throws: der },
    {
      name: 'mrz',
      seeds: [Buffer.from(lines.join('\n'))],
      read: (text) => readMrz(Buffer.from(text).toString('latin1').split('\n')),
      throws: ['MalformedMrz'],
    },
    {
      name: 'aamva',
      seeds: licences().map((text) => Buffer.from(text, 'latin1')),
      read: (text) => readAamva(Buffer.from(text).toString('latin1')),
      throws: ['MalformedAamva'],
    },
    {
      name: 'certificate',
      seeds: [...certificates, ...real.map(({ cscaDer }) => bytes(cscaDer))],
      read: (one) => createCscaStore([one]).certificates.map((each) => each.publicKey()),
      throws: [],
    },
    {
      name: 'crl',
      seeds: [crl],
      read: (one) => readCrl(one).signed(readCountryCertificate(csca.certificate), 'flag'),
      throws: der,
    },
    {
      name: 'master-list',
      seeds: [list],
      read: (one) => parseMasterList(one, csca.certificate),
      throws: ['Failure'],
    },
    {
      name: 'asn1',
      seeds: [...sods, ...certificates, crl],
      read: (one) => childrenOf(readElement(one, undefined, 'ber').contents, 'ber'),
      throws: der,
    },
    { name: 'cbor', seeds: cbor(), read: readCborMap, throws: ['MalformedCbor'] },
    ...(await playTokens()),
    ...recalled(),
    ...attestationParsers(),
    ...(await tokenParsers()),
    ...(await fileParsers()),
    ...(await logParsers()),
  ];
}

/**
 * Parsers of Google Play tokens: as phones submit them (JWE around JWS), as they are stored (JWS),
 * and their payload, which is otherwise read only after a valid signature.
 */
async function playTokens(): Promise<Parser[]> {
  const keys = newPlayKeys();
  const payload = payloadOf();
  const tokens = await Promise.all([1, 2, 3].map(() => mintToken(keys, payload)));
  const bytesOf = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));
  const judged = async (opened: OpenedToken): Promise<boolean> => {
    const policy = { package: packageName, certificateDigests: [certificateDigest] };
    return verifyPlayIntegrity(policy, opened, { requestHash }, playAt).checks.length === 9;
  };
  const open = async (token: Uint8Array): Promise<boolean> =>
    judged(await openPlayToken(Buffer.from(token).toString('latin1'), keys));
  return [
    { name: 'play-jwe', seeds: bytesOf(tokens.map(({ token }) => token)), read: open, throws: [] },
    {
      name: 'play-jws',
      seeds: bytesOf(tokens.map(({ signed }) => signed)),
      read: open,
      throws: [],
    },
    {
      name: 'play-payload',
      seeds: bytesOf([JSON.stringify(payload)]),
      read: async (text) => judged({ payload: JSON.parse(Buffer.from(text).toString()) }),
      throws: ['SyntaxError'],
    },
  ];
}

/** Parsers of device recall answers, including the vendors’ texts for no data. */
function recalled(): Parser[] {
  const seeds = {
    ios: ['{"bit0":true,"bit1":false,"last_update_time":"2026-10"}', 'Failed to find bit state'],
    android: ['{"values":{"bitFirst":true},"writeDates":{"yyyymmFirst":202610}}'],
  };
  return (['ios', 'android'] as const).map((platform) => ({
    name: `recall-${platform}`,
    seeds: seeds[platform].map((text) => Buffer.from(text)),
    read: (text) => verifyDeviceRecall(platform, Buffer.from(text).toString()).checks.length === 2,
    throws: [],
  }));
}

function licences(): string[] {
  const card = {
    ...holder,
    version: 10,
    issuerNumber: '636014',
    type: 'DL',
    country: 'USA',
    documentNumber: 'D1234567',
    issuedOn: '2022-04-15',
    expiresOn: '2030-08-12',
  } as const;
  const canadian = { ...card, issuerNumber: '636012', country: 'CAN', type: 'ID' } as const;
  return [licenceText(card), licenceText({ ...card, version: 1 }), licenceText(canadian)];
}

const chipKeys = sessionKeysOf(Buffer.alloc(32, 7), 'aes-128');
const chipCounter = counterOf('aes-128', 2);

/** Returns chip answers under their session keys: with data, and with a status only. */
function responses(): Uint8Array[] {
  const status = Buffer.from('99029000', 'hex');
  return [[cryptogramOf(chipKeys, chipCounter, Buffer.alloc(32, 1)), status], [status]].map(
    (parts) => {
      const body = Buffer.concat(parts);
      const mac = encoded(0x8e, macOf(chipKeys, chipCounter, body));
      return Buffer.concat([body, mac, Buffer.from('9000', 'hex')]);
    },
  );
}

/** Mutants fail their key check, so the content is parsed separately. */
function openedResponse(bytes: Uint8Array): unknown {
  return openResponse(chipKeys, chipCounter, bytes) ?? decrypted(chipKeys, chipCounter, bytes);
}

function cbor(): Uint8Array[] {
  const { vectors }: { vectors: { attestation: string }[] } = JSON.parse(
    vector('app-attest.json').toString(),
  );
  return vectors.map(({ attestation }) => bytes(attestation));
}
