import type { KeyObject } from 'node:crypto';
import type { KeyReference } from './key-reference.ts';

/** Whoever holds private keys for us. All of it throws a CustodyError. */
export interface Keeper<Reference = KeyReference> {
  /** The public key, which has to be on P-256. */
  publicKeyOf(reference: Reference): Promise<KeyObject>;
  /** Signs a SHA-256 digest by ECDSA; DER. */
  sign(reference: Reference, digest: Uint8Array): Promise<Buffer>;
}
