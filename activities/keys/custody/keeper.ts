import type { KeyObject } from 'node:crypto';
import type { KeyReference } from './key-reference.ts';

/**
 * Keeps private keys outside of this process: AWS KMS or a token. All methods throw CustodyError.
 */
export interface Keeper<Reference = KeyReference> {
  /** Returns the public key, which must be on P-256. */
  publicKeyOf(reference: Reference): Promise<KeyObject>;
  /** Signs a SHA-256 digest with ECDSA, and returns DER. */
  sign(reference: Reference, digest: Uint8Array): Promise<Buffer>;
}
