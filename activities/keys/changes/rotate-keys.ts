import { randomBytes, type X509Certificate } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../../../db/client.ts';
import { isKeyStolen } from '../../../db/queries/certificates.ts';
import type { RevokedCertificate } from '../../../domain/pki/revocation/revocation-fields.ts';
import { signRootCrl } from '../../../domain/pki/revocation/sign-root-crl.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { isReference, type KeyReference } from '../custody/key-reference.ts';
import { commonNames } from '../directory/common-names.ts';
import {
  KeyDirectoryError,
  mismatched,
  nextFolder,
  passphraseOf,
  pathIn,
  readSecret,
  retiredFolder,
  rootCrlFile,
  type KeyPlace,
} from '../directory/key-files.ts';
import {
  metadataFile,
  publication,
  retirement,
  revocation,
  type RevocationMark,
} from '../directory/key-metadata.ts';
import { loadRootSigner, type PlatformKeys } from '../directory/load-keys.ts';
import { openNext, type NextKey } from '../directory/load-next.ts';
import { entryOf, revokedCas } from '../directory/load-retired.ts';
import { keeperOf } from '../directory/open-signer.ts';
import { issueHeldKey, issueKey, keyPemOf, type NewKey } from './issue-key.ts';

/** Keys that can be replaced under the same root. */
export const rotatableKeys = ['people-ca', 'services-ca', 'seal', 'tsa', 'tokens'] as const;
export type RotatableKey = (typeof rotatableKeys)[number];
const leaves = ['seal', 'tsa', 'tokens'] as const;

export interface Rotation {
  readonly place: KeyPlace;
  readonly keys: PlatformKeys;
  readonly now: Date;
  readonly baseUrl: string;
  /** Why the old key is revoked; null where it is only replaced. */
  readonly mark: RevocationMark | null;
  /** Database that records the serial of a leaf before its certificate is signed. */
  readonly on: Queryable;
  /**
   * Where each new key is: a reference to a key that exists already, or `file` to create it as a
   * file. A key without an entry is created as a file. If the old one is held elsewhere, an entry
   * is required.
   */
  readonly places?: ReadonlyMap<RotatableKey, KeyReference | 'file'>;
}

export interface Rotated {
  /** Input of `changeKeys`. */
  readonly files: Map<string, string | Uint8Array>;
  /** The new keys by name. */
  readonly made: ReadonlyMap<RotatableKey, NewKey>;
}

/** Returns the current key of a name. */
export function currentOf(keys: PlatformKeys, name: RotatableKey): PlatformKeys['seal'] {
  const { peopleCa, servicesCa, seal, tsa, tokens } = keys;
  return { 'people-ca': peopleCa, 'services-ca': servicesCa, seal, tsa, tokens }[name];
}

/**
 * Reports whether verifiers must know the key in advance, so that it is published before it signs.
 * Seals and time stamps carry their own chains.
 */
export const isPublishedFirst = (name: RotatableKey): boolean => name !== 'seal' && name !== 'tsa';

const isCaName = (name: RotatableKey): boolean => name === 'people-ca' || name === 'services-ca';

/** Returns the keys that are replaced together: a services CA with its leaves. */
export const replacedWith = (name: RotatableKey): readonly RotatableKey[] =>
  name === 'services-ca' ? [name, ...leaves] : [name];

/** Returns the published next keys that become current together with this one. */
export function nextWith({ next }: PlatformKeys, name: RotatableKey): NextKey[] {
  return next.filter((key) => replacedWith(name).includes(key.name));
}

/**
 * Creates the next key of a name, in `next/`, without writing files. A services CA gets new leaves.
 * Any CA gets a new root CRL, because an older CRL covers no certificate of the new CA.
 * @throws KeyDirectoryError when the key that signs the new one is not available
 */
export async function publishKey(rotation: Rotation, name: RotatableKey): Promise<Rotated> {
  const root = isCaName(name) ? loadRootSigner(rotation.place) : null;
  const made = await makeAll(rotation, name, root, []);
  const files = new Map<string, string | Uint8Array>();
  for (const [each, key] of made) {
    const path = join(nextFolder, each);
    files.set(`${path}.key.pem`, key.content);
    files.set(`${path}.cer.pem`, pemOf(key.der));
    files.set(...metadataFile(path, publication, { published_at: rotation.now }));
  }
  if (root) files.set(rootCrlFile, await rootListOf(rotation, root, []));
  return { files, made };
}

/**
 * Replaces the current key of a name, without writing files. A planned rotation uses the published
 * next key, or else creates one. A services CA brings new leaves; a token key and a CA retire.
 * After a theft, the published next key is discarded too, and a CA is added to the root CRL.
 * @throws KeyDirectoryError when the key that signs the new one is not available
 */
export async function rotateKey(rotation: Rotation, name: RotatableKey): Promise<Rotated> {
  const { keys, mark } = rotation;
  const next = nextWith(keys, name);
  const promoted = mark ? [] : next;
  const isMade = !promoted.some((key) => key.name === name);
  const root = isCaName(name) && isMade ? loadRootSigner(rotation.place) : null;
  const made = await makeAll(rotation, name, root, promoted);
  const files = new Map<string, string | Uint8Array>();
  for (const [each, key] of made) {
    files.set(`${each}.key.pem`, key.content);
    files.set(`${each}.cer.pem`, pemOf(key.der));
    for (const [file, content] of retiredFiles(rotation, each)) files.set(file, content);
  }
  for (const { name: each, kid, certificate } of mark ? next : []) {
    if (!mark || !isPublishedFirst(each)) continue;
    for (const [file, content] of markedFiles(mark, each, kid, certificate)) {
      files.set(file, content);
    }
  }
  if (root) {
    const stolen = [currentOf(keys, name), ...next].filter(({ certificate }) => certificate.ca);
    const added = mark ? stolen.map(({ certificate }) => entryOf(certificate, mark)) : [];
    files.set(rootCrlFile, await rootListOf(rotation, root, added));
  }
  return { files, made };
}

/** Creates a key, and the leaves of a services CA. Keys in `promoted` are used as they are. */
async function makeAll(
  rotation: Rotation,
  name: RotatableKey,
  root: IssuingSigner | null,
  promoted: readonly NextKey[],
): Promise<Map<RotatableKey, NewKey>> {
  const keyOf = async (each: RotatableKey, issuer: IssuingSigner, isCa: boolean) => {
    const next = promoted.find((key) => key.name === each);
    return next ? takeNext(rotation, next) : make(rotation, each, issuer, isCa);
  };
  const made = new Map<RotatableKey, NewKey>();
  const first = await keyOf(name, root ?? rotation.keys.servicesCa, isCaName(name));
  made.set(name, first);
  if (name === 'services-ca') {
    for (const leaf of leaves) made.set(leaf, await keyOf(leaf, first.signer, false));
  }
  const kids = new Set([...made.values()].map(({ signer }) => signer.kid));
  if (kids.size < made.size) throw mismatched(name, 'one key is named for two');
  return made;
}

function takeNext({ place }: Rotation, next: NextKey): NewKey {
  const content = readSecret(pathIn(place.directory, join(nextFolder, `${next.name}.key.pem`)));
  const signer = openNext({ place, keeper: keeperOf(place) }, next);
  return { der: next.certificate.raw, signer, content };
}

function rootListOf(
  { place, now, keys }: Rotation,
  root: IssuingSigner,
  added: readonly RevokedCertificate[],
): Promise<Buffer> {
  return signRootCrl(root, now, [...revokedCas(place), ...added], keys.root.crl);
}

async function make(
  rotation: Rotation,
  role: RotatableKey,
  issuer: IssuingSigner,
  isCa: boolean,
): Promise<NewKey> {
  const { now, baseUrl, on } = rotation;
  // Some validators would share the CRLs of two CAs with the same name.
  const name = isCa ? `${commonNames[role]} ${randomBytes(4).toString('hex')}` : commonNames[role];
  // A CA is only on the root CRL, which is not made from the database.
  const stored = isCa ? {} : { on };
  const request = { role, commonName: name, issuer, now, baseUrl, ...stored };
  const held = heldPlaceOf(rotation, role);
  if (!held) {
    const passphrase = passphraseFor(rotation, role);
    const issued = await issueKey(request);
    return { ...issued, content: keyPemOf(issued.key, passphrase) };
  }
  const key = { keeper: keeperOf(rotation.place), reference: held };
  return issueHeldKey(key, request, (kid) => checkUnused(rotation, role, kid));
}

/** Returns the reference of the new key; null for one that is created as a file. */
function heldPlaceOf({ place, places }: Rotation, name: RotatableKey): KeyReference | null {
  const wanted = places?.get(name);
  if (wanted) return wanted === 'file' ? null : wanted;
  if (!isReference(readSecret(pathIn(place.directory, `${name}.key.pem`)))) return null;
  throw new KeyDirectoryError(
    'unset',
    `${name}: its key is held elsewhere; make a new one there and name it, ` +
      `--key ${name}=awskms:///… or --key ${name}=pkcs11:…, or say --key ${name}=file`,
  );
}

/** Two certificates for one key are ambiguous where keys are named or revoked. */
async function checkUnused({ keys, on }: Rotation, name: RotatableKey, kid: string): Promise<void> {
  const current = rotatableKeys.map((each) => currentOf(keys, each));
  const all = [...current, ...keys.next, ...keys.retired, ...keys.retiredTokens];
  if (all.some((one) => one.kid === kid)) throw mismatched(name, `${usedAlready}; make a new one`);
  if (await isKeyStolen(on, kid)) throw mismatched(name, 'this key was revoked as stolen');
}

const usedAlready = 'this key is one of the platform already';

/**
 * Returns the files of a retired key. A retired CA stays published, and signs its CRLs unless it
 * was stolen. A retired token key verifies tokens until the last one expires.
 */
function* retiredFiles(
  { keys, place, mark, now }: Rotation,
  name: RotatableKey,
): Generator<[string, string]> {
  if (!isPublishedFirst(name)) return;
  const { certificate, kid } = currentOf(keys, name);
  if (mark) return yield* markedFiles(mark, name, kid, certificate);
  const retired = retiredPath(name, kid);
  yield [`${retired}.cer.pem`, pemOf(certificate.raw)];
  if (certificate.ca) {
    yield [`${retired}.key.pem`, readSecret(pathIn(place.directory, `${name}.key.pem`))];
  } else {
    yield metadataFile(retired, retirement, { retired_at: now });
  }
}

function* markedFiles(
  mark: RevocationMark,
  name: RotatableKey,
  kid: string,
  certificate: X509Certificate,
): Generator<[string, string]> {
  const retired = retiredPath(name, kid);
  yield [`${retired}.cer.pem`, pemOf(certificate.raw)];
  yield metadataFile(retired, revocation, mark);
}

const retiredPath = (name: RotatableKey, kid: string): string =>
  join(retiredFolder, `${name}-${kid.slice(0, 8)}`);

/** Removes the files of next keys that became current or were discarded. */
export async function forgetNext(
  { directory }: KeyPlace,
  names: readonly RotatableKey[],
): Promise<void> {
  for (const name of names) {
    for (const ending of ['.cer.pem', '.key.pem', publication.ending]) {
      await rm(join(directory, nextFolder, `${name}${ending}`), { force: true });
    }
  }
}

/** A new key file is encrypted if the old one was encrypted or was a reference. */
function passphraseFor({ place }: Rotation, name: RotatableKey): string | null {
  const path = pathIn(place.directory, `${name}.key.pem`);
  const old = readSecret(path);
  return isReference(old) || old.includes('ENCRYPTED') ? passphraseOf(place, path) : null;
}
