import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CustodyFault } from '../custody/custody-error.ts';
import { isReference } from '../custody/key-reference.ts';
import type { CustodyOptions } from '../custody/open-keeper.ts';
import type { HeldKeyName } from './held-keys.ts';

/** Key names in a key directory. Each has the files `{name}.key.pem` and `{name}.cer.pem`. */
export type KeyName = 'root' | 'people-ca' | 'services-ca' | 'seal' | 'tsa' | 'tokens';
export const masterSecretFile = 'master.secret';
/** Passphrase of the key files, generated if none was supplied. */
export const passphraseFile = 'passphrase.secret';
/** The root's key. No process of the platform reads it. */
export const rootKeyFile = 'root.key.pem';
/** The root's CRL, DER. It is signed while the root's key is available, and served always. */
export const rootCrlFile = 'root.crl';
/**
 * CAs that no longer issue: `retired/{any}.cer.pem`, with the key while it signs CRLs. Also token
 * keys that no longer sign, without their keys.
 */
export const retiredFolder = 'retired';

/** Keys that are published and do not sign yet: `next/{name}.cer.pem`, with key and date. */
export const nextFolder = 'next';

/** Files of an activated key change that are not moved yet. Readers look here first. */
export const pendingFolder = 'pending';

export interface KeyPlace {
  readonly directory: string;
  /** The passphrase of the key files, unless it is stored beside them. */
  readonly passphrase?: string;
  /** Access to keys that files refer to; by default KMS with the AWS client's own configuration. */
  readonly custody?: CustodyOptions;
  /** The private keys that this process holds, see `heldKeys`; all of them if absent. */
  readonly holds?: readonly HeldKeyName[];
}

export type KeyFault =
  | 'missing'
  | 'unreadable'
  | 'exposed'
  | 'encrypted'
  | 'mismatched'
  | CustodyFault;

/** A file of the key directory cannot be used. The message names the file and the remedy. */
export class KeyDirectoryError extends Error {
  override readonly name = 'KeyDirectoryError';
  readonly fault: KeyFault;

  constructor(fault: KeyFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Reports whether this process reads the private key of a name, besides the certificate. */
export function holdsKey({ holds }: KeyPlace, name: HeldKeyName): boolean {
  return holds === undefined || holds.includes(name);
}

/** Suffix of private key files. */
export const keyEnding = '.key.pem';

/** Path prefix of files of a key change, also of an interrupted one. */
const pendingPath = new RegExp(String.raw`^${pendingFolder}(?:\.\w+\.tmp)?/`);

/**
 * Reports whether this process reads the private key in a file.
 * @param file path relative to the key directory
 */
export function holdsKeyFile(place: Pick<KeyPlace, 'holds'>, file: string): boolean {
  if (place.holds === undefined) return true;
  const path = file.replace(pendingPath, '');
  const folder = dirname(path);
  if (folder === retiredFolder) return place.holds.includes(retiredFolder);
  const isKnown = folder === '.' || folder === nextFolder;
  return isKnown && place.holds.some((name) => name === basename(path, keyEnding));
}

/**
 * Reads a text file.
 * @throws KeyDirectoryError `exposed` when others than its owner can access it
 */
export function readSecret(path: string): string {
  const content = readKeyFile(path).toString('utf8');
  if ((statSync(path).mode & 0o077) === 0) return content;
  throw new KeyDirectoryError('exposed', `${path}: open to others than its owner; chmod 600 it`);
}

export function readKeyFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing) throw new KeyDirectoryError('missing', `${path}: does not exist`);
    throw new KeyDirectoryError('unreadable', `${path}: cannot be read`, { cause });
  }
}

/** Returns the path to read a file from: the pending folder while a key change is moving files. */
export function pathIn(directory: string, name: string): string {
  const aside = join(directory, pendingFolder, name);
  return existsSync(aside) ? aside : join(directory, name);
}

export function certificateOf({ directory }: KeyPlace, name: string): X509Certificate {
  const path = pathIn(directory, `${name}.cer.pem`);
  const pem = readKeyFile(path);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new KeyDirectoryError('unreadable', `${path}: not a certificate`, { cause });
  }
}

/** Returns the private key of a name, after checking that it matches the certificate. */
export function privateKeyOf(
  place: KeyPlace,
  name: string,
  certificate: X509Certificate,
): KeyObject {
  const path = pathIn(place.directory, `${name}.key.pem`);
  const pem = readSecret(path);
  if (isReference(pem)) {
    const why = 'refers to a key elsewhere; here the key itself is needed';
    throw new KeyDirectoryError('unreadable', `${path}: ${why}`);
  }
  const key = decrypted(path, pem, pem.includes('ENCRYPTED') ? passphraseOf(place, path) : null);
  if (!certificate.checkPrivateKey(key)) {
    throw mismatched(name, 'the key is not that of the certificate');
  }
  return key;
}

function decrypted(path: string, pem: string, passphrase: string | null): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === null ? {} : { passphrase }) });
  } catch (cause) {
    if (passphrase === null) {
      throw new KeyDirectoryError('unreadable', `${path}: not a private key`, { cause });
    }
    throw new KeyDirectoryError('encrypted', `${path}: the passphrase is not the one of the file`);
  }
}

export function mismatched(name: string, what: string): KeyDirectoryError {
  return new KeyDirectoryError('mismatched', `${name}: ${what}`);
}

/** Returns the passphrase of an encrypted key file: the configured one, or the one beside it. */
export function passphraseOf({ directory, passphrase }: KeyPlace, path: string): string {
  if (passphrase !== undefined) return passphrase;
  try {
    return readSecret(join(directory, passphraseFile)).trim();
  } catch (cause) {
    if (cause instanceof KeyDirectoryError && cause.fault !== 'missing') throw cause;
    throw new KeyDirectoryError('encrypted', `${path}: encrypted, and no passphrase was given`);
  }
}
