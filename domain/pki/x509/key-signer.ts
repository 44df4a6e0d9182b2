import { createPublicKey, sign as signBytes, type KeyObject } from 'node:crypto';
import type { SignatureAlgorithm, Signer } from '../signer.ts';
import { publicJwkOf, thumbprintOf } from './thumbprint.ts';

/** A key that signs certificates and CRLs: a signer of the port, or the root on P-384. */
export interface IssuingSigner extends Omit<Signer, 'algorithm'> {
  readonly algorithm: SignatureAlgorithm | 'ES384';
}

const hashes = { ES256: 'sha256', ES384: 'sha384' } as const;
const algorithms: Readonly<Record<string, 'ES256' | 'ES384'>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
};

/**
 * Creates a signer over a private key in this process (the `file` driver, and soft keys of
 * devices).
 * @param certificateChain DER, leaf first, without the root
 * @throws TypeError for a key that is on neither P-256 nor P-384
 */
export function keySigner(
  key: KeyObject,
  certificateChain: readonly Uint8Array[],
): IssuingSigner & { readonly algorithm: 'ES256' | 'ES384' } {
  const algorithm = algorithms[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!algorithm) throw new TypeError('the key is on neither P-256 nor P-384');
  return {
    kid: thumbprintOf(publicJwkOf(createPublicKey(key))),
    algorithm,
    certificateChain,
    sign: async (tbs) => signBytes(hashes[algorithm], tbs, key),
  };
}
