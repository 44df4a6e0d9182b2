import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { signRootCrl } from '../../../domain/pki/revocation/sign-root-crl.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import type { CertificateRole } from '../../../domain/pki/x509/profile.ts';
import { commonNames, developmentRootName } from '../directory/common-names.ts';
import {
  KeyDirectoryError,
  masterSecretFile,
  mismatched,
  passphraseFile,
  rootCrlFile,
  rootKeyFile,
  type KeyName,
} from '../directory/key-files.ts';
import type { LeafOrCa } from '../directory/load-next.ts';
import { flush, writeFlushed, type KeyChange } from './change-keys.ts';
import { issueHeldKey, issueKey, keyPemOf, type HeldKey, type NewKey } from './issue-key.ts';

export interface DevPkiOptions {
  readonly now: Date;
  /** URL under which CRLs and CA certificates are published: `{baseUrl}/pki/{kid}.crl|.cer`. */
  readonly baseUrl: string;
  /** The common name of the root; by default the development name. */
  readonly rootName?: string;
  /** Encrypts the key files. By default a random passphrase is stored beside them. */
  readonly passphrase?: string;
  /** Keys that already exist in AWS KMS or in a PKCS#11 token. The others are created as files. */
  readonly held?: ReadonlyMap<LeafOrCa, HeldKey>;
}

/**
 * Creates the platform's public-key infrastructure in a directory, once: root, people CA, services
 * CA, seal, time-stamping authority, token key and a master secret, all in files that only the
 * owner can read. The directory appears completely or not at all: two concurrent processes end with
 * the same one, and a killed process leaves none.
 * @returns false when the directory already exists
 * @throws KeyDirectoryError when the directory has other content; a system error when the directory
 * cannot be written
 */
export async function createDevPki(directory: string, options: DevPkiOptions): Promise<boolean> {
  if (await isMade(directory)) return false;
  const { files, rootKey } = await makePki(options);
  return placePki(directory, new Map([...files, [rootKeyFile, rootKey]]));
}

/**
 * Writes a new key directory, which appears completely or not at all.
 * @returns false when the directory already exists
 * @throws KeyDirectoryError when the directory has other content; a system error when the directory
 * cannot be written
 */
export async function placePki(directory: string, files: KeyChange): Promise<boolean> {
  const building = `${directory}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(building, { recursive: true, mode: 0o700 });
  try {
    await fillPki(building, files);
    // Replaces an empty directory, and fails on any other: the first process to rename wins.
    await rename(building, directory);
    await flush(dirname(directory));
    return true;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    if (await isMade(directory)) return false;
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) throw error;
    throw new KeyDirectoryError('mismatched', `${directory}: holds something else than keys`);
  }
}

/**
 * Writes a new key directory into an empty directory. A killed process leaves it incomplete; a
 * failure removes the written files.
 */
export async function fillPki(directory: string, files: KeyChange): Promise<void> {
  const written: string[] = [];
  try {
    for (const [name, content] of files) {
      await writeFlushed(join(directory, name), content);
      written.push(name);
    }
    await flush(directory);
  } catch (error) {
    for (const name of written) await rm(join(directory, name), { force: true });
    throw error;
  }
}

interface NewPki {
  /** Files of the key directory, without the root's key. */
  readonly files: KeyChange;
  /** Content of the root's key file. */
  readonly rootKey: string;
}

/**
 * Creates the keys, certificates and master secret of a platform, without writing files.
 * @throws KeyDirectoryError for a held key that cannot be used, and for one key under two names
 */
export async function makePki(options: DevPkiOptions): Promise<NewPki> {
  const passphrase = options.passphrase ?? randomBytes(32).toString('base64url');
  const all = await issueAll({ ...options, passphrase });
  const kids = new Set(Object.values(all).map(({ signer }) => signer.kid));
  if (kids.size < Object.keys(all).length) throw mismatched('--key', 'one key is named for two');
  const files = new Map<string, string | Uint8Array>();
  if (options.passphrase === undefined) files.set(passphraseFile, passphrase);
  for (const [name, { der, content }] of Object.entries(all)) {
    if (name !== 'root') files.set(`${name}.key.pem`, content);
    files.set(`${name}.cer.pem`, pemOf(der));
  }
  files.set(rootCrlFile, await signRootCrl(all.root.signer, options.now, [], null));
  files.set(masterSecretFile, randomBytes(32).toString('hex'));
  return { files, rootKey: all.root.content };
}

type Made = DevPkiOptions & { readonly passphrase: string };

async function issueAll(options: Made): Promise<Readonly<Record<KeyName, NewKey>>> {
  const root = await issue('root', null, options);
  const services = await issue('services-ca', root, options);
  return {
    root,
    'people-ca': await issue('people-ca', root, options),
    'services-ca': services,
    seal: await issue('seal', services, options),
    tsa: await issue('tsa', services, options),
    tokens: await issue('tokens', services, options),
  };
}

async function issue(
  role: KeyName & CertificateRole,
  issuer: NewKey | null,
  { now, baseUrl, passphrase, held, rootName = developmentRootName }: Made,
): Promise<NewKey> {
  const commonName = role === 'root' ? rootName : commonNames[role];
  const request = { role, commonName, issuer: issuer?.signer ?? null, now, baseUrl };
  const key = role === 'root' ? undefined : held?.get(role);
  if (key) return issueHeldKey(key, request);
  const issued = await issueKey(request);
  return { ...issued, content: keyPemOf(issued.key, passphrase) };
}

async function isMade(directory: string): Promise<boolean> {
  return stat(join(directory, masterSecretFile)).then(
    () => true,
    () => false,
  );
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
