import { childrenOf, encoded, readElement, take, tags } from '../../../domain/pki/read-der.ts';
import { Buffer } from './buffer.ts';
import type { HashName } from './public-key.ts';

export interface RsaKey {
  readonly modulus: bigint;
  readonly publicExponent: bigint;
  /** In bits. */
  readonly modulusLength: number;
}

/**
 * Bounds that keep the page responsive. Real keys have a modulus of 4096 bits and an exponent of
 * 17.
 */
const modulusBitsMax = 8192;
const exponentMax = 2n ** 64n;

const hashOids: Readonly<Record<HashName, string>> = {
  sha1: '2b0e03021a',
  sha224: '608648016503040204',
  sha256: '608648016503040201',
  sha384: '608648016503040202',
  sha512: '608648016503040203',
};

/**
 * Parses an RSAPublicKey (RFC 8017 §A.1.1).
 * @throws if it is malformed or exceeds the bounds
 */
export function readRsaKey(bits: Uint8Array): RsaKey {
  const parts = childrenOf(readElement(bits, tags.sequence).contents);
  const modulus = numberOf(take(parts, tags.integer).contents);
  const publicExponent = numberOf(take(parts, tags.integer).contents);
  const modulusLength = modulus.toString(2).length;
  if (parts.length > 0 || modulusLength > modulusBitsMax || publicExponent >= exponentMax) {
    throw new Error('not a key of RSA');
  }
  return { modulus, publicExponent, modulusLength };
}

/**
 * Verifies RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.2): compares the whole encoded message with the only
 * valid encoding of the digest.
 */
export function isRsaSignature(
  { modulus, publicExponent, modulusLength }: RsaKey,
  hash: HashName,
  { digest, signature }: { readonly digest: Uint8Array; readonly signature: Uint8Array },
): boolean {
  const length = Math.ceil(modulusLength / 8);
  const value = numberOf(signature);
  if (signature.length !== length || value >= modulus) return false;
  const oid = encoded(tags.oid, Buffer.from(hashOids[hash], 'hex'));
  const algorithm = encoded(tags.sequence, oid, Buffer.of(5, 0));
  const info = encoded(tags.sequence, algorithm, encoded(tags.octetString, digest));
  const padding = length - info.length - 3;
  if (padding < 8) return false;
  const wanted = Buffer.concat([Buffer.of(0, 1), Buffer.alloc(padding, 0xff), Buffer.of(0), info]);
  return power(value, publicExponent, modulus) === numberOf(wanted);
}

const numberOf = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square, rest] = [1n, base % modulus, exponent];
  for (; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
