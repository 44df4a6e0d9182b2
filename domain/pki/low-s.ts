import type { KeyObject } from 'node:crypto';
import { childrenOf, readElement, take, tags } from './read-der.ts';
import * as der from './write-der.ts';

/** Order of P-256, its half, and the length of a number below it (SP 800-186 §3.2.1.3). */
const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const p256Bytes = 32;
const p256Half = p256BytesOf(p256Order / 2n);

/** Orders of the NIST curves (SP 800-186 §3.2.1). */
const orders: ReadonlyMap<string, bigint> = new Map([
  ['prime256v1', p256Order],
  [
    'secp384r1',
    BigInt(
      '0xffffffffffffffffffffffffffffffffffffffffffffffff' +
        'c7634d81f4372ddf581a0db248b0a77aecec196accc52973',
    ),
  ],
  [
    'secp521r1',
    BigInt(
      '0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' +
        'a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
    ),
  ],
]);

/**
 * Returns the low-S form of a signature. If (r, s) is a valid ECDSA signature, (r, n - s) is too,
 * so anyone can write a signature in two ways; only the form with the smaller s is accepted.
 * Signatures of other keys (RSA, Brainpool) are returned unchanged. See
 * docs/decisions/011-certificates-and-signatures.md.
 * @param signature DER (RFC 3279 §2.2.3)
 * @throws MalformedDer
 */
export function lowS(signature: Uint8Array, key: KeyObject): Buffer {
  const order = orders.get(key.asymmetricKeyDetails?.namedCurve ?? '');
  if (order === undefined) return Buffer.from(signature);
  const values = childrenOf(readElement(signature, tags.sequence).contents);
  const [r, s] = [take(values, tags.integer), take(values, tags.integer)];
  const value = BigInt(`0x${Buffer.from(s.contents).toString('hex')}`);
  if (value * 2n <= order || value >= order) return Buffer.from(signature);
  const hex = (order - value).toString(16);
  const low = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return der.sequence(der.integer(r.contents), der.integer(low));
}

/**
 * Whether a P-256 signature has the low-S form.
 * @param raw r‖s, 64 bytes
 */
export function hasLowS(raw: Uint8Array): boolean {
  return p256Half.compare(raw, p256Bytes) >= 0;
}

/**
 * Returns the low-S form of a P-256 signature.
 * @param raw r‖s, 64 bytes
 */
export function withLowS(raw: Buffer): Buffer {
  if (hasLowS(raw)) return raw;
  const s = BigInt(`0x${raw.toString('hex', p256Bytes)}`);
  return Buffer.concat([raw.subarray(0, p256Bytes), p256BytesOf(p256Order - s)]);
}

function p256BytesOf(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * p256Bytes, '0'), 'hex');
}
