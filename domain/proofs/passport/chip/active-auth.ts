import { constants, createHash, publicDecrypt, type KeyObject } from 'node:crypto';
import { hashLengths, verifyBytes, weaknessOf, type Hash } from '../../../pki/x509/algorithms.ts';

export type ActiveAuthAnswer = 'ok' | 'invalid' | 'unsupported';

/** A chip takes a challenge of eight bytes (ICAO 9303-11, INTERNAL AUTHENTICATE). */
export const nonceBytesMin = 8;

/**
 * Weaker keys than for document signers are accepted: ICAO 9303 allowed RSA with 1,024 bits for
 * chips.
 */
const rsaBitsMin = 1024;

/** Hash by the octet before the trailer's 0xCC (ISO/IEC 10118-3, referenced by ISO/IEC 9796-2). */
const trailers: Readonly<Record<number, Hash>> = {
  0x33: 'sha1',
  0x34: 'sha256',
  0x35: 'sha512',
  0x36: 'sha384',
  0x38: 'sha224',
};

/**
 * Verifies a chip's answer to our challenge (ICAO 9303-11, Active Authentication) by the key of
 * EF.DG15. `hash` is the one that EF.DG14 names for ECDSA; null selects the one of the curve's
 * size. SHA-1 is acceptable here: the challenge is fresh, so an attacker cannot prepare a
 * collision.
 */
export function verifyActiveAuth(
  key: KeyObject,
  nonce: Uint8Array,
  signature: Uint8Array,
  hash: Hash | null,
): ActiveAuthAnswer {
  if (nonce.length < nonceBytesMin) return 'invalid';
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return verifyRsa(key, nonce, signature);
    case 'ec':
      return verifyEcdsa(key, nonce, signature, hash ?? hashOfCurve(key));
    default:
      return 'unsupported';
  }
}

/**
 * ISO/IEC 9796-2 digital signature scheme 1 with partial recovery: the signature opens to
 * 6A ‖ M1 ‖ H(M1 ‖ nonce) ‖ trailer, where M1 is the chip's own random part.
 */
function verifyRsa(key: KeyObject, nonce: Uint8Array, signature: Uint8Array): ActiveAuthAnswer {
  if (weaknessOf({ family: 'rsa', hash: 'sha1' }, key, rsaBitsMin)) return 'unsupported';
  const opened = openSignature(key, signature);
  if (opened?.[0] !== 0x6a) return 'invalid';
  const trailer = trailerOf(opened);
  if (!trailer) return 'invalid';
  const digestEnd = opened.length - trailer.length;
  const digestStart = digestEnd - hashLengths[trailer.hash];
  if (digestStart <= 1) return 'invalid';
  const digest = createHash(trailer.hash)
    .update(opened.subarray(1, digestStart))
    .update(nonce)
    .digest();
  return digest.equals(opened.subarray(digestStart, digestEnd)) ? 'ok' : 'invalid';
}

function openSignature(key: KeyObject, signature: Uint8Array): Buffer | null {
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature);
  } catch {
    return null;
  }
}

function trailerOf(opened: Uint8Array): { hash: Hash; length: number } | null {
  if (opened.at(-1) === 0xbc) return { hash: 'sha1', length: 1 };
  const hash = opened.at(-1) === 0xcc ? trailers[opened.at(-2) ?? 0] : undefined;
  return hash ? { hash, length: 2 } : null;
}

/**
 * Verifies r ‖ s over the challenge (BSI TR-03111, plain format); some identity cards answer in
 * DER.
 */
function verifyEcdsa(
  key: KeyObject,
  nonce: Uint8Array,
  signature: Uint8Array,
  hash: Hash,
): ActiveAuthAnswer {
  if (weaknessOf({ family: 'ecdsa', hash }, key, rsaBitsMin)) return 'unsupported';
  const holds =
    verifyBytes({ family: 'ecdsa-plain', hash }, key, nonce, signature) ||
    verifyBytes({ family: 'ecdsa', hash }, key, nonce, signature);
  return holds ? 'ok' : 'invalid';
}

/** Returns the longest hash that is not longer than the curve's order. */
function hashOfCurve(key: KeyObject): Hash {
  const bits = Number(/\d{3}/.exec(key.asymmetricKeyDetails?.namedCurve ?? '')?.[0] ?? 256);
  if (bits >= 512) return 'sha512';
  if (bits >= 384) return 'sha384';
  return bits >= 256 ? 'sha256' : 'sha224';
}
