import { readCborMap } from '../../activities/attestation/cbor.ts';
import { checkJpeg2000 } from '../../activities/face/jpeg2000.ts';
import { readCertificate } from '../../activities/passport/certificate.ts';
import { readCrl } from '../../activities/passport/crl.ts';
import { childrenOf, readElement } from '../../activities/passport/der.ts';
import { faceOf } from '../../activities/passport/face.ts';
import { imageHeaderOf } from '../../activities/passport/image-header.ts';
import { activeAuthHashOf, activeAuthKeyOf, mrzLinesOf } from '../../activities/passport/lds.ts';
import { createCscaStore, parseMasterList } from '../../activities/passport/master-list.ts';
import { readMrz } from '../../activities/passport/mrz.ts';
import { readSod } from '../../activities/passport/sod.ts';
import { verifyEmrtd } from '../../activities/passport/verify-emrtd.ts';
import { createDevCsca, issueCrl, linkCsca } from '../../cli/phone/passport-pki.ts';
import { dg2Of, faceRecord } from '../../cli/phone/passport-face.ts';
import { codestream, jp2, jpeg } from '../activities/passport/faces.ts';
import { at, bytes, csca, mint, mintMasterList, vector } from '../activities/passport/fixtures.ts';

/** What reads bytes of strangers: it gives something, or throws one of its typed errors. */
export interface Parser {
  readonly name: string;
  readonly seeds: readonly Uint8Array[];
  readonly read: (bytes: Uint8Array) => unknown;
  /** Names of the errors it may throw. */
  readonly throws: readonly string[];
}

const der = ['MalformedDer'];

/** Every parser of what chips, States and phones hand in, with genuine input of each kind. */
export function parsers(): Parser[] {
  const rsa = mint({ chipKey: 'rsa' }, createDevCsca(at, { profile: 'rsa-pss' }));
  const ec = mint({}, createDevCsca(at, { profile: 'brainpool-explicit' }));
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
    { name: 'dg15', seeds: group('DG15'), read: activeAuthKeyOf, throws: der },
    {
      name: 'mrz',
      seeds: [Buffer.from(lines.join('\n'))],
      read: (text) => readMrz(Buffer.from(text).toString('latin1').split('\n')),
      throws: ['MalformedMrz'],
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
      read: (one) => readCrl(one).signed(readCertificate(csca.certificate), 'flag'),
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
  ];
}

function cbor(): Uint8Array[] {
  const { vectors }: { vectors: { attestation: string }[] } = JSON.parse(
    vector('app-attest.json').toString(),
  );
  return vectors.map(({ attestation }) => bytes(attestation));
}
