import {
  childrenOf,
  encoded,
  MalformedDer,
  readElement,
  type Element,
} from '../../../domain/pki/read-der.ts';
import { verifyActiveAuth } from '../../../domain/proofs/passport/chip/active-auth.ts';
import { agreedKeysOf } from '../../../domain/proofs/passport/chip/chip-auth.ts';
import { counterOf, openResponse } from '../../../domain/proofs/passport/chip/secure-messaging.ts';
import { chipAuthenticationOf } from '../../../domain/proofs/passport/chip/security-infos.ts';
import { activeAuthKeyOf } from '../../../domain/proofs/passport/data/lds.ts';
import { readSod } from '../../../domain/proofs/passport/data/sod.ts';
import { parseMasterList } from '../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd, type EmrtdPolicy } from '../../../domain/proofs/passport/verify-emrtd.ts';
import { Failure } from '../../../workflows/failures.ts';
import {
  at,
  bytes,
  masterList,
  masterListRoot,
  mint,
  results,
  vector,
} from '../../support/fixtures/passports/fixtures.ts';
import {
  pairsOf,
  swappedOf,
  type Family,
  type Genuine,
  type Parts,
  type Swap,
  type Validity,
} from './genuine.ts';

const read = <T>(file: string): T[] => JSON.parse(vector(file).toString()).vectors;

/** Security objects, reference sets, chip answers and a master list. */
export const passportForgeries = (): Family[] => [
  securityObjects(),
  referenceSets(),
  chipSessions(),
  { genuine: [activeAuthentication(), portrait(), germanMasterList()], swaps: [] },
];

function signerOf(sod: Uint8Array): Validity[] {
  const { signer } = readSod(sod);
  if (!signer) return [];
  const { validFromDate: from, validToDate: to } = signer.x509();
  return [{ name: 'document signer', from, to, ends: 'both' }];
}

const hold = (names: readonly string[], policy: EmrtdPolicy, parts: Parts, when: Date): boolean => {
  const { sod = new Uint8Array(), ...dataGroups } = parts;
  const found = results(verifyEmrtd(policy, { sod, dataGroups }, when));
  return names.every((name) => found[name] === 'ok');
};

function securityObjects(): Family {
  const sods = read<{ country: string; sod: string; cscaDer: string }>('nfc-sod.json');
  // All are trusted, so that a mixed one must fail by itself.
  const csca = sods.map(({ cscaDer }) => bytes(cscaDer));
  const checks = ['parse', 'sod_signature', 'dsc_chain', 'csca_trusted', 'dsc_dates'];
  const genuine = sods.map(({ country, sod }): Genuine => ({
    name: `EF.SOD of ${country}`,
    parts: { sod: bytes(sod) },
    at,
    validities: signerOf(bytes(sod)),
    holds: (parts, when) => hold(checks, { csca }, parts, when),
  }));
  return { genuine, swaps: pairsOf(genuine).flatMap(([one, other]) => mixed(one, other)) };
}

/** Replaces the content, certificates, signer or signature by those of another security object. */
function mixed(of: Genuine, other: Genuine): Swap[] {
  const [own, foreign] = [of, other].map(({ parts: { sod } }) => fieldsOf(sod));
  if (!own || !foreign) return [];
  const { signer, ...fields } = own;
  const [ownSigner, foreignSigner] = [signer, foreign.signer].map(partsOfSigner);
  const signers = {
    attributes: { ...ownSigner, attributes: foreignSigner?.attributes },
    signature: { ...ownSigner, signature: foreignSigner?.signature },
  };
  const swapped: [string, Uint8Array][] = [
    ['content', written({ ...own, content: foreign.content })],
    ['certificates', written({ ...own, certificates: foreign.certificates })],
    ['signer', written({ ...own, signer: foreign.signer })],
    ['signer and certificates', written({ ...foreign, content: own.content })],
  ];
  for (const [name, parts] of Object.entries(signers)) {
    const changed = encoded(
      0x31,
      encoded(0x30, ...Object.values(parts).flatMap((part) => part ?? [])),
    );
    swapped.push([name, written({ ...fields, signer: changed })]);
  }
  return swapped.map(([part, sod]) => ({
    name: `${of.name} with the ${part} of ${other.name}`,
    of,
    parts: { sod },
  }));
}

interface Fields {
  readonly type: Uint8Array;
  readonly version: Uint8Array;
  readonly digests: Uint8Array;
  readonly content: Uint8Array;
  readonly certificates: Uint8Array;
  readonly signer: Uint8Array;
}

const inner = (element: Element | undefined): Element[] =>
  childrenOf(element?.contents ?? new Uint8Array(), 'ber');
const none = new Uint8Array();

/** Returns the fields of EF.SOD as SignedData (RFC 5652 §5.1). */
function fieldsOf(sod: Uint8Array = none): Fields {
  const [type, wrapped] = inner(inner(readElement(sod, 0x77, 'ber'))[0]);
  const [version, digests, content, certificates, ...rest] = inner(inner(wrapped)[0]);
  const wholes = [type, version, digests, content, certificates, rest.at(-1)];
  const [a = none, b = none, c = none, d = none, e = none, f = none] = wholes.map(
    (each) => each?.whole,
  );
  return { type: a, version: b, digests: c, content: d, certificates: e, signer: f };
}

const written = ({ type, version, digests, content, certificates, signer }: Fields): Buffer => {
  const signed = encoded(0x30, version, digests, content, certificates, signer);
  return encoded(0x77, encoded(0x30, type, encoded(0xa0, signed)));
};

/**
 * Splits SignerInfo (RFC 5652 §5.3) into the part before the attributes, these, and the signature.
 */
function partsOfSigner(infos: Uint8Array): Record<string, Uint8Array> {
  const all = inner(inner(readElement(infos, 0x31, 'ber'))[0]).map(({ whole }) => whole);
  const attributes = all.findIndex((whole) => whole[0] === 0xa0);
  const [before, between] = [all.slice(0, attributes), all.slice(attributes + 1, -1)];
  return {
    before: Buffer.concat(before),
    attributes: all[attributes] ?? none,
    between: Buffer.concat(between),
    signature: all.at(-1) ?? none,
  };
}

function referenceSets(): Family {
  const sets = read<{ set: string; sod: string; dg1: string; dg14: string }>(
    'nfc-reference-sets.json',
  );
  const checks = ['parse', 'sod_signature', 'dsc_dates', 'dg_hashes', 'mrz'];
  const genuine = sets.map(({ set, sod, dg1, dg14 }): Genuine => {
    const validities = signerOf(bytes(sod));
    return {
      name: set,
      parts: { sod: bytes(sod), DG1: bytes(dg1), DG14: bytes(dg14) },
      at: validities[0]?.from ?? at,
      validities,
      // Their State is unknown, so only the key of the certificate is compared.
      isSigned: ({ kind }) => !kind.startsWith('/77/30/a0/30/a0'),
      holds: (parts, when) => hold(checks, {}, parts, when),
    };
  });
  return { genuine, swaps: swappedOf(genuine) };
}

function chipSessions(): Family {
  const sessions = read<{ state: string; dg14: string; privateKey: string; response: string }>(
    'nfc-chip-auth.json',
  );
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const genuine = sessions.map((session): Genuine => ({
    name: `chip authentication of ${session.state}`,
    parts: { response: hex(session.response) },
    at,
    validities: [],
    holds({ response = none }) {
      const chip = chipAuthenticationOf(hex(session.dg14));
      if (!chip) return false;
      const keys = agreedKeysOf(chip, hex(session.privateKey));
      return isRead(() => openResponse(keys, counterOf(chip.cipher, 2), response) !== null);
    },
  }));
  return { genuine, swaps: swappedOf(genuine) };
}

function activeAuthentication(): Genuine {
  const [{ dg15, nonce, signature } = { dg15: '', nonce: '', signature: '' }] = read<{
    dg15: string;
    nonce: string;
    signature: string;
  }>('nfc-active-auth.json');
  const key = activeAuthKeyOf(bytes(dg15));
  return {
    name: 'active authentication',
    parts: { nonce: Buffer.from(nonce, 'hex'), signature: bytes(signature) },
    at,
    validities: [],
    holds: (parts) =>
      key !== null &&
      verifyActiveAuth(key, parts['nonce'] ?? none, parts['signature'] ?? none, null) === 'ok',
  };
}

function portrait(): Genuine {
  const { policy, input } = mint({ files: { DG2: vector('nfc-dg2-iso39794-mand.dat') } });
  return {
    name: 'DG2 in ISO/IEC 39794-5',
    parts: { DG2: input.dataGroups['DG2'] ?? none },
    at,
    validities: [],
    holds: ({ DG2 = none }) =>
      verifyEmrtd(policy, { ...input, dataGroups: { ...input.dataGroups, DG2 } }, at).verdict ===
      'passed',
  };
}

function germanMasterList(): Genuine {
  const root = masterList.lastIndexOf(masterListRoot);
  return {
    name: 'the German master list',
    parts: { list: masterList },
    at,
    validities: [],
    // The copy of the root in the list is not checked: the judge uses the known root.
    isSigned: ({ start }) => start < root || start >= root + masterListRoot.length,
    holds: ({ list = none }) => isRead(() => parseMasterList(list, masterListRoot).size > 0),
  };
}

/** Returns false when the judge throws for unreadable bytes. */
function isRead(read: () => boolean): boolean {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedDer || error instanceof Failure) return false;
    throw error;
  }
}
