import type { X509Certificate } from 'node:crypto';
import { keySigner, type IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { CustodyError } from '../custody/custody-error.ts';
import type { Keeper } from '../custody/keeper.ts';
import { isReference, readReference } from '../custody/key-reference.ts';
import { openKeeper } from '../custody/open-keeper.ts';
import { createCustodySigner } from './custody-signer.ts';
import { KeyDirectoryError, pathIn, privateKeyOf, readSecret, type KeyPlace } from './key-files.ts';

/** Location of the key files, and the keeper of the keys that they refer to. */
export interface Keys {
  readonly place: KeyPlace;
  readonly keeper: Keeper;
}

/** Returns the keeper of the keys that the files of a directory refer to. */
export function keeperOf({ custody }: KeyPlace): Keeper {
  return openKeeper(custody ?? { kms: {}, pkcs11: null });
}

/**
 * Opens the signer of a name. A key in a file is checked against the certificate. A key that the
 * file refers to is checked only by `prove`.
 * @param certificateChain DER, leaf first, without the root
 * @throws KeyDirectoryError
 */
export function openSigner(
  { place, keeper }: Keys,
  name: string,
  certificate: X509Certificate,
  certificateChain: readonly Uint8Array[],
): IssuingSigner {
  const path = pathIn(place.directory, `${name}.key.pem`);
  const content = readSecret(path);
  if (!isReference(content))
    return keySigner(privateKeyOf(place, name, certificate), certificateChain);
  if (certificate.publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new KeyDirectoryError('mismatched', `${name}: the key is not on P-256`);
  }
  const reference = told(path, () => readReference(content));
  return createCustodySigner(keeper, reference, certificate.publicKey, certificateChain);
}

/**
 * Returns a signer for a key that this process does not hold. It reads no file, and `sign` rejects.
 */
export function absentSigner(
  name: string,
  kid: string,
  certificateChain: readonly Uint8Array[],
): IssuingSigner {
  const fault = new Error(`${name}: this process does not hold its key`);
  return { kid, algorithm: 'ES256', certificateChain, sign: () => Promise.reject(fault) };
}

/** Runs work and adds the name of the key to a custody error. */
export function told<T>(about: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw aboutKey(about, error);
  }
}

/**
 * Converts a custody error to a key directory error that names the key. Returns others unchanged.
 */
export function aboutKey(about: string, error: unknown): unknown {
  if (!(error instanceof CustodyError)) return error;
  return new KeyDirectoryError(error.fault, `${about}: ${error.message}`);
}
