import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CustodyFault } from '../custody/custody-error.ts';
import { isReference } from '../custody/key-reference.ts';
import type { CustodyOptions } from '../custody/open-keeper.ts';
import type { HeldKeyName } from './held-keys.ts';

/** The files of a key directory: `{name}.key.pem` and `{name}.cer.pem` for each of these. */
export type KeyName = 'root' | 'people-ca' | 'services-ca' | 'seal' | 'tsa' | 'tokens';
export const masterSecretFile = 'master.secret';
/** The passphrase of the key files, when the one who made them gave none. */
export const passphraseFile = 'passphrase.secret';
/** The root's key, which no process of the platform reads. */
export const rootKeyFile = 'root.key.pem';
/** The root's CRL, DER: signed whenever its key is at hand, served when it is not. */
export const rootCrlFile = 'root.crl';
/**
 * CAs that issue no more: `retired/{any}.cer.pem`, with the key while CRLs are to be signed; and
 * token keys that sign no more, without theirs.
 */
export const retiredFolder = 'retired';

/** Keys that are published and do not sign yet: `next/{name}.cer.pem`, with key and date. */
export const nextFolder = 'next';

/** Files of a change of keys that counts, on the way to their places; they are read first. */
export const pendingFolder = 'pending';

export interface KeyPlace {
  readonly directory: string;
  /** The passphrase of the key files, when it is not kept beside them. */
  readonly passphrase?: string;
  /** How keys are reached that files refer to; without it as the AWS client finds its own way. */
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

/** A file of the key directory cannot be used; the message names the file and what to do. */
export class KeyDirectoryError extends Error {
  override readonly name = 'KeyDirectoryError';
  readonly fault: KeyFault;

  constructor(fault: KeyFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Whether this process reads the private key of a name; of others it reads the certificate. */
export function holdsKey({ holds }: KeyPlace, name: HeldKeyName): boolean {
  return holds === undefined || holds.includes(name);
}

/** Ending of the file of a private key. */
export const keyEnding = '.key.pem';

/** Files of a change, also of one that was interrupted. */
const pendingPath = new RegExp(String.raw`^${pendingFolder}(?:\.\w+\.tmp)?/`);

/**
 * Whether this process reads the private key in a file.
 * @param file its path in the directory
 */
export function holdsKeyFile(place: Pick<KeyPlace, 'holds'>, file: string): boolean {
  if (place.holds === undefined) return true;
  const path = file.replace(pendingPath, '');
  const folder = dirname(path);
  if (folder === retiredFolder) return place.holds.includes(retiredFolder);
  const isKnown = folder === '.' || folder === nextFolder;
  return isKnown && place.holds.some((name) => name === basename(path, keyEnding));
}

/** The text of a file that none but its owner may read. */
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

/** Where a file of the directory is read: aside, while a change of keys is moving it there. */
export function pathIn(directory: string, name: string): string {
  const aside = join(directory, pendingFolder, name);
  return existsSync(aside) ? aside : join(directory, name);
}

/** The certificate of a name. */
export function certificateOf({ directory }: KeyPlace, name: string): X509Certificate {
  const path = pathIn(directory, `${name}.cer.pem`);
  const pem = readKeyFile(path);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new KeyDirectoryError('unreadable', `${path}: not a certificate`, { cause });
  }
}

/** The private key of a name, once it is seen to be that of the certificate. */
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

/** The passphrase of an encrypted key file: the one given, or the one kept beside it. */
export function passphraseOf({ directory, passphrase }: KeyPlace, path: string): string {
  if (passphrase !== undefined) return passphrase;
  try {
    return readSecret(join(directory, passphraseFile)).trim();
  } catch (cause) {
    if (cause instanceof KeyDirectoryError && cause.fault !== 'missing') throw cause;
    throw new KeyDirectoryError('encrypted', `${path}: encrypted, and no passphrase was given`);
  }
}
