import { createECDH, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import {
  childrenOf,
  encoded,
  MalformedDer,
  oidOf,
  readElement,
  take,
  tags,
} from '../../../pki/read-der.ts';
import { isNamedCurve } from '../../../pki/x509/algorithms.ts';

/** A group for key agreement, with numbers and points in the form of ICAO 9303-11 §9.4. */
export interface Group {
  /** Creates a private key from `seedBytes` random octets. */
  privateKeyOf(seed: Uint8Array): Buffer;
  /** @throws errors of node:crypto if the private key is not in this group */
  publicKeyOf(privateKey: Uint8Array): Buffer;
  /** @throws errors of node:crypto if the public key is not in this group */
  secretOf(privateKey: Uint8Array, publicKey: Uint8Array): Buffer;
}

/** The public key of a SubjectPublicKeyInfo, with its group. */
export interface PublicKey {
  readonly group: Group;
  readonly bytes: Uint8Array;
}

/** Length of the seed of a private key in every group. */
export const seedBytes = 66;

const primeBitsMin = 1024;
/** ICAO 9303-11 §9.5 has no longer one, and an untrusted longer one would block the event loop. */
const primeBitsMax = 2048;
/** Length of a private key: twice the strength of the longest hash. */
const exponentBytes = 64;

const ecPublicKey = '1.2.840.10045.2.1';
const dhKeyAgreement = '1.2.840.113549.1.3.1';
const dhPublicNumber = '1.2.840.10046.2.1';

/**
 * Reads a key for ECDH or DH (TR-03110-3 §A.2, RFC 3279 §2.3.3, PKCS #3), with named or explicit
 * curves. Null for an unsupported curve or size.
 * @throws `MalformedDer`
 */
export function readPublicKey(spki: Uint8Array): PublicKey | null {
  const [algorithm, bits] = childrenOf(readElement(spki, tags.sequence).contents);
  if (algorithm?.tag !== tags.sequence || bits?.tag !== tags.bitString) {
    throw new MalformedDer('no public key');
  }
  const rest = childrenOf(algorithm.contents);
  const oid = oidOf(take(rest, tags.oid).contents);
  const key = bits.contents.subarray(1);
  if (oid === ecPublicKey) {
    const group = curveOf(spki);
    return group && { group, bytes: key };
  }
  if (oid !== dhKeyAgreement && oid !== dhPublicNumber) return null;
  const numbers = childrenOf(take(rest, tags.sequence).contents);
  const [prime, generator] = [take(numbers, tags.integer), take(numbers, tags.integer)];
  const group = modularGroup(unsigned(prime.contents), unsigned(generator.contents));
  const number = unsigned(readElement(key, tags.integer).contents);
  return group && { group, bytes: number };
}

function curveOf(spki: Uint8Array): Group | null {
  let name: string;
  try {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    name = key.asymmetricKeyDetails?.namedCurve ?? '';
  } catch {
    return null;
  }
  return isNamedCurve(name) ? curve(name) : null;
}

/** A curve of ICAO 9303-12, by its name in node:crypto. */
export function curve(name: string): Group {
  // Keys that are one bit shorter than the order are always below it.
  const bits = Number(/\d{3}/.exec(name)?.[0] ?? 256) - 1;
  const octets = Math.ceil(bits / 8);
  const holding = (privateKey: Uint8Array) => {
    const ecdh = createECDH(name);
    ecdh.setPrivateKey(privateKey);
    return ecdh;
  };
  return {
    privateKeyOf(seed) {
      const key = Buffer.from(seed.subarray(0, octets));
      key[0] = (key[0] ?? 0) & (0xff >> (octets * 8 - bits));
      return key;
    },
    publicKeyOf: (privateKey) => holding(privateKey).getPublicKey(),
    secretOf: (privateKey, publicKey) => holding(privateKey).computeSecret(publicKey),
  };
}

/**
 * Returns null if the prime is too short or too long. Primality is not tested: that takes seconds.
 */
export function modularGroup(prime: Uint8Array, generator: Uint8Array): Group | null {
  const bits = prime.length * 8 - Math.clz32(prime[0] ?? 0) + 24;
  if (bits < primeBitsMin || bits > primeBitsMax || generator.length > prime.length) return null;
  const parameters = encoded(tags.sequence, signed(prime), signed(generator));
  const oid = Buffer.from('06092a864886f70d010301', 'hex');
  const algorithm = encoded(tags.sequence, oid, parameters);
  const privateOf = (exponent: Uint8Array) => {
    const key = encoded(tags.octetString, signed(exponent));
    const pkcs8 = encoded(tags.sequence, signed(Buffer.of(0)), algorithm, key);
    return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  };
  const publicOf = (number: Uint8Array) => {
    const bitsOf = encoded(tags.bitString, Buffer.of(0), signed(number));
    const spki = encoded(tags.sequence, algorithm, bitsOf);
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  };
  return {
    privateKeyOf: (seed) => Buffer.from(seed.subarray(0, exponentBytes)),
    publicKeyOf(privateKey) {
      const spki = createPublicKey(privateOf(privateKey)).export({ format: 'der', type: 'spki' });
      const number = readPublicKey(spki)?.bytes ?? new Uint8Array();
      return Buffer.concat([Buffer.alloc(prime.length - number.length), number]);
    },
    secretOf: (privateKey, publicKey) =>
      diffieHellman({ privateKey: privateOf(privateKey), publicKey: publicOf(publicKey) }),
  };
}

/**
 * Returns INTEGER contents without the sign octet.
 * @throws `MalformedDer`
 */
function unsigned(contents: Uint8Array): Uint8Array {
  const [first = 0x80, second = 0] = contents;
  if (first & 0x80) throw new MalformedDer('not a positive number');
  return first === 0 && second & 0x80 ? contents.subarray(1) : contents;
}

/** Encodes an INTEGER from big-endian octets. */
function signed(number: Uint8Array): Buffer {
  let start = 0;
  while (start < number.length - 1 && number[start] === 0) start += 1;
  const bare = number.subarray(start);
  const sign = (bare[0] ?? 0) & 0x80 ? Buffer.of(0) : Buffer.alloc(0);
  return encoded(tags.integer, sign, bare);
}
