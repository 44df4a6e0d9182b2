import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Queryable } from '../../db/client.ts';
import { isKeyStolen } from '../../db/queries/certificates.ts';
import { isReference, textOf, type KeyReference } from '../custody/key-reference.ts';
import { commonNames } from './dev-pki.ts';
import { heldSigner } from './held-signer.ts';
import { certifyKey, issueKey, keyPemOf, type CertifiedKey } from './issue-key.ts';
import {
  KeyDirectoryError,
  mismatched,
  passphraseOf,
  pathIn,
  readSecret,
  retiredFolder,
  rootCrlFile,
  type KeyPlace,
} from './key-files.ts';
import type { IssuingSigner } from './key-signer.ts';
import { loadRootSigner, type PlatformKeys } from './load-keys.ts';
import { entryOf, markEnding, revokedCas, type RevocationMark } from './load-retired.ts';
import { aboutKey, keeperOf } from './open-signer.ts';
import { pemOf } from './pem.ts';
import { signRootCrl } from './root-crl.ts';
import { publicJwkOf, thumbprintOf } from './thumbprint.ts';

/** What can be replaced while the root stays. */
export const rotatableKeys = ['people-ca', 'services-ca', 'seal', 'tsa', 'tokens'] as const;
export type RotatableKey = (typeof rotatableKeys)[number];
const leaves = ['seal', 'tsa', 'tokens'] as const;

export interface Rotation {
  readonly place: KeyPlace;
  readonly keys: PlatformKeys;
  readonly now: Date;
  readonly baseUrl: string;
  /** Why the old key is not to be relied on; null where it is only replaced. */
  readonly mark: RevocationMark | null;
  /** Where the serial of a leaf is stored before its certificate is signed. */
  readonly on: Queryable;
  /**
   * Where a new key is: held elsewhere, where it was made before, or made here into a file. What is
   * not named is made here, unless the old one is held elsewhere: then it has to be.
   */
  readonly places?: ReadonlyMap<RotatableKey, KeyReference | 'file'>;
}

/** A new key, and what its file is to hold. */
export interface NewKey extends CertifiedKey {
  readonly content: string;
}

export interface Rotated {
  /** What `changeKeys` is to write. */
  readonly files: Map<string, string | Uint8Array>;
  /** The new keys by their names. */
  readonly made: ReadonlyMap<RotatableKey, NewKey>;
}

/** The key that stands under a name now. */
export function currentOf(keys: PlatformKeys, name: RotatableKey): PlatformKeys['seal'] {
  const { peopleCa, servicesCa, seal, tsa, tokens } = keys;
  return { 'people-ca': peopleCa, 'services-ca': servicesCa, seal, tsa, tokens }[name];
}

/**
 * Makes the key that replaces another, and what else has to change with it: a services CA brings
 * new leaves, a token key and a CA retire, a CA brings a list of the root, which a revoked one is
 * put on. Nothing is written yet.
 * @throws KeyDirectoryError where a key that signs the new one is not at hand
 */
export async function rotateKey(rotation: Rotation, name: RotatableKey): Promise<Rotated> {
  const isCa = name === 'people-ca' || name === 'services-ca';
  const made = new Map<RotatableKey, NewKey>();
  const files = new Map<string, string | Uint8Array>();
  const root = isCa ? loadRootSigner(rotation.place) : null;
  const first = await make(rotation, name, root ?? rotation.keys.servicesCa, isCa);
  made.set(name, first);
  if (name === 'services-ca') {
    for (const leaf of leaves) made.set(leaf, await make(rotation, leaf, first.signer, false));
  }
  const kids = new Set([...made.values()].map(({ signer }) => signer.kid));
  if (kids.size < made.size) throw mismatched(name, 'one key is named for two');
  for (const [each, key] of made) {
    files.set(`${each}.key.pem`, key.content);
    files.set(`${each}.cer.pem`, pemOf(key.der));
    for (const [file, content] of retiredFiles(rotation, each)) files.set(file, content);
  }
  if (root) {
    const { certificate } = currentOf(rotation.keys, name);
    const added = rotation.mark ? [entryOf(certificate, rotation.mark)] : [];
    const revoked = [...revokedCas(rotation.place), ...added];
    // Also in peace: a list from before the new CA clears nothing that it vouches for.
    files.set(rootCrlFile, await signRootCrl(root, rotation.now, revoked, rotation.keys.root.crl));
  }
  return { files, made };
}

async function make(
  rotation: Rotation,
  role: RotatableKey,
  issuer: IssuingSigner,
  isCa: boolean,
): Promise<NewKey> {
  const { now, baseUrl, on } = rotation;
  // Two CAs of one name would share their CRLs in the eyes of some validators.
  const name = isCa ? `${commonNames[role]} ${randomBytes(4).toString('hex')}` : commonNames[role];
  // A CA is on the root's list alone, which no database makes.
  const stored = isCa ? {} : { on };
  const request = { role, commonName: name, issuer, now, baseUrl, ...stored };
  const held = heldPlaceOf(rotation, role);
  if (!held) {
    const passphrase = passphraseFor(rotation, role);
    const issued = await issueKey(request);
    return { ...issued, content: keyPemOf(issued.key, passphrase) };
  }
  try {
    const keeper = keeperOf(rotation.place);
    const publicKey = await keeper.publicKeyOf(held);
    await checkUnused(rotation, role, thumbprintOf(publicJwkOf(publicKey)));
    const signerOf = (chain: readonly Uint8Array[]) => heldSigner(keeper, held, publicKey, chain);
    await signerOf([]).prove();
    return { ...(await certifyKey(request, publicKey, signerOf)), content: `${textOf(held)}\n` };
  } catch (error) {
    throw aboutKey(role, error);
  }
}

/** Where the new key is held; null for one that is to be made here. */
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

/** Two certificates over one key could not be told apart where keys are named, or revoked. */
async function checkUnused({ keys, on }: Rotation, name: RotatableKey, kid: string): Promise<void> {
  const current = rotatableKeys.map((each) => currentOf(keys, each));
  const all = [...current, ...keys.retired, ...keys.retiredTokens];
  if (all.some((one) => one.kid === kid)) throw mismatched(name, `${usedAlready}; make a new one`);
  if (await isKeyStolen(on, kid)) throw mismatched(name, 'this key was revoked as stolen');
}

const usedAlready = 'this key is one of the platform already';

/** CAs go on being published, and sign their lists unless stolen; token keys verify what was. */
function* retiredFiles(
  { keys, place, mark }: Rotation,
  name: RotatableKey,
): Generator<[string, string]> {
  if (name === 'seal' || name === 'tsa') return;
  const { certificate, kid } = currentOf(keys, name);
  const retired = join(retiredFolder, `${name}-${kid.slice(0, 8)}`);
  yield [`${retired}.cer.pem`, pemOf(certificate.raw)];
  if (mark) yield [`${retired}${markEnding}`, `${JSON.stringify(mark)}\n`];
  else if (certificate.ca) {
    yield [`${retired}.key.pem`, readSecret(pathIn(place.directory, `${name}.key.pem`))];
  }
}

/** A new key file is encrypted as the old one was, and after one that was held elsewhere. */
function passphraseFor({ place }: Rotation, name: RotatableKey): string | null {
  const path = pathIn(place.directory, `${name}.key.pem`);
  const old = readSecret(path);
  return isReference(old) || old.includes('ENCRYPTED') ? passphraseOf(place, path) : null;
}
