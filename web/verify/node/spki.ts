import {
  childrenOf,
  encoded,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
} from '../../../domain/pki/read-der.ts';
import { Buffer } from './buffer.ts';

/** Parsed SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). */
export interface Spki {
  readonly algorithm: string;
  /** The curve of an EC key (RFC 5480 §2.1.1); null for other keys. */
  readonly curve: string | null;
  readonly bits: Uint8Array;
}

export const keyOids = {
  ec: '1.2.840.10045.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ed25519: '1.3.101.112',
} as const;

/**
 * Parses SubjectPublicKeyInfo without trailing bytes.
 * @throws MalformedDer
 */
export function readSpki(der: Uint8Array): Spki {
  const parts = childrenOf(readElement(der, tags.sequence).contents);
  const identifier = childrenOf(take(parts, tags.sequence).contents);
  const bits = take(parts, tags.bitString).contents;
  if (parts.length > 0 || bits[0] !== 0) throw new MalformedDer('not a public key');
  const algorithm = oidOf(take(identifier, tags.oid).contents);
  const named = takeIf(identifier, tags.oid);
  return { algorithm, curve: named && oidOf(named.contents), bits: bits.subarray(1) };
}

/**
 * Converts an Ed25519 JWK to SubjectPublicKeyInfo (RFC 8410 §4).
 * @throws for any other key
 */
export function spkiOfJwk({ kty, crv, x = '' }: Readonly<Record<string, string>>): Uint8Array {
  const bytes = Buffer.from(x, 'base64url');
  if (kty !== 'OKP' || crv !== 'Ed25519' || bytes.length !== 32) throw new Error('not such a key');
  const oid = encoded(tags.oid, Buffer.of(0x2b, 0x65, 0x70));
  const bits = encoded(tags.bitString, Buffer.of(0), bytes);
  return encoded(tags.sequence, encoded(tags.sequence, oid), bits);
}
