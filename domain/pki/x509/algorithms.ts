import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import {
  childrenOf,
  encoded,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
} from '../read-der.ts';

export type Hash = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** X.509 AlgorithmIdentifier: the parameters as DER, null if absent. */
export interface AlgorithmIdentifier {
  readonly oid: string;
  readonly parameters: Uint8Array | null;
}

/** A signature scheme in the terms of node:crypto. Salt length in bytes. */
export interface Scheme {
  readonly family: 'rsa' | 'rsa-pss' | 'ecdsa' | 'ecdsa-plain' | 'dsa';
  readonly hash: Hash;
  readonly saltLength?: number;
  /** The original RSA-PSS parameters, if their mask uses another hash than `hash`. */
  readonly parameters?: Uint8Array;
}

/**
 * How to treat SHA-1 signatures, which ICAO 9303-12 allowed until its seventh edition and passports
 * in use still have: refuse them, or accept and report them in the facts.
 */
export type LegacyPolicy = 'flag' | 'refuse';

const hashes: Readonly<Record<string, Hash>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.4': 'sha224',
};

export const hashLengths: Readonly<Record<Hash, number>> = {
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

const rsaPss = '1.2.840.113549.1.1.10';
const mgf1 = '1.2.840.113549.1.1.8';

const schemes: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.1.5': { family: 'rsa', hash: 'sha1' },
  '1.2.840.113549.1.1.11': { family: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { family: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { family: 'rsa', hash: 'sha512' },
  '1.2.840.113549.1.1.14': { family: 'rsa', hash: 'sha224' },
  '1.2.840.10045.4.1': { family: 'ecdsa', hash: 'sha1' },
  '1.2.840.10045.4.3.1': { family: 'ecdsa', hash: 'sha224' },
  '1.2.840.10045.4.3.2': { family: 'ecdsa', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { family: 'ecdsa', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { family: 'ecdsa', hash: 'sha512' },
  '0.4.0.127.0.7.1.1.4.1.1': { family: 'ecdsa-plain', hash: 'sha1' },
  '0.4.0.127.0.7.1.1.4.1.2': { family: 'ecdsa-plain', hash: 'sha224' },
  '0.4.0.127.0.7.1.1.4.1.3': { family: 'ecdsa-plain', hash: 'sha256' },
  '0.4.0.127.0.7.1.1.4.1.4': { family: 'ecdsa-plain', hash: 'sha384' },
  '0.4.0.127.0.7.1.1.4.1.5': { family: 'ecdsa-plain', hash: 'sha512' },
  '1.2.840.10040.4.3': { family: 'dsa', hash: 'sha1' },
  '2.16.840.1.101.3.4.3.1': { family: 'dsa', hash: 'sha224' },
  '2.16.840.1.101.3.4.3.2': { family: 'dsa', hash: 'sha256' },
  '2.16.840.1.101.3.4.3.3': { family: 'dsa', hash: 'sha384' },
  '2.16.840.1.101.3.4.3.4': { family: 'dsa', hash: 'sha512' },
};

/** Issuers (AU, NZ, US) name the key's algorithm here and mean "with the digest algorithm". */
const bare: Readonly<Record<string, Scheme['family']>> = {
  '1.2.840.113549.1.1.1': 'rsa',
  '1.2.840.10045.2.1': 'ecdsa',
  '1.2.840.10040.4.1': 'dsa',
};

/** The curves of ICAO 9303-12 (RFC 5639, FIPS 186-4), in either form of parameters. */
const curves: ReadonlySet<string> = new Set([
  'secp224r1',
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP224r1',
  'brainpoolP256r1',
  'brainpoolP320r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
  'brainpoolP224t1',
  'brainpoolP256t1',
  'brainpoolP320t1',
  'brainpoolP384t1',
  'brainpoolP512t1',
]);

export const isNamedCurve = (name: string): boolean => curves.has(name);

/**
 * Reads an AlgorithmIdentifier SEQUENCE.
 * @throws `MalformedDer`
 */
export function readAlgorithm(der: Uint8Array): AlgorithmIdentifier {
  const rest = childrenOf(readElement(der, tags.sequence).contents);
  const oid = oidOf(take(rest, tags.oid).contents);
  if (rest.length > 1) throw new MalformedDer('the algorithm has too many parameters');
  return { oid, parameters: rest[0]?.whole ?? null };
}

/** Returns the hash of an identifier; null if it is unknown or has parameters. */
export function hashOf({ oid, parameters }: AlgorithmIdentifier): Hash | null {
  if (!isEmpty(parameters) || !Object.hasOwn(hashes, oid)) return null;
  return hashes[oid] ?? null;
}

/** Absent, or the NULL that some write instead. */
const isEmpty = (parameters: Uint8Array | null): boolean =>
  parameters === null || (parameters.length === 2 && parameters[0] === 5 && parameters[1] === 0);

/**
 * Returns the scheme of a signature; null if unknown. `digest` is the digest algorithm of CMS, for
 * identifiers that do not name a hash.
 * @throws `MalformedDer` for invalid RSA-PSS parameters
 */
export function schemeOf(algorithm: AlgorithmIdentifier, digest: Hash | null): Scheme | null {
  const { oid } = algorithm;
  if (oid === rsaPss) return pssScheme(algorithm.parameters);
  if (!isEmpty(algorithm.parameters)) return null;
  if (Object.hasOwn(schemes, oid)) return schemes[oid] ?? null;
  const family = Object.hasOwn(bare, oid) ? bare[oid] : undefined;
  return family && digest ? { family, hash: digest } : null;
}

/** Reads RSA-PSS parameters (RFC 4055 §3.1). Omitted ones mean SHA-1, and a salt of its length. */
function pssScheme(parameters: Uint8Array | null): Scheme | null {
  const rest = parameters ? childrenOf(readElement(parameters, tags.sequence).contents) : [];
  const hashField = takeIf(rest, 0xa0);
  const maskField = takeIf(rest, 0xa1);
  const saltField = takeIf(rest, 0xa2);
  const trailerField = takeIf(rest, 0xa3);
  if (rest.length > 0) throw new MalformedDer('unknown RSA-PSS parameters');
  const hash = hashField ? hashOf(readAlgorithm(hashField.contents)) : 'sha1';
  const mask = maskField ? readAlgorithm(maskField.contents) : null;
  if (mask && (mask.oid !== mgf1 || !mask.parameters)) return null;
  const maskHash = mask?.parameters ? hashOf(readAlgorithm(mask.parameters)) : 'sha1';
  const saltLength = saltField ? smallNumber(saltField.contents) : 20;
  const trailer = trailerField ? smallNumber(trailerField.contents) : 1;
  if (!hash || !maskHash || saltLength === null || trailer !== 1) return null;
  const scheme = { family: 'rsa-pss', hash, saltLength } as const;
  return maskHash === hash || !parameters ? scheme : { ...scheme, parameters };
}

/** Reads an INTEGER from 0 to 32,767; null for any other. */
function smallNumber(der: Uint8Array): number | null {
  const { contents } = readElement(der, tags.integer);
  const [first = 0x80] = contents;
  if (contents.length > 2 || first & 0x80) return null;
  return contents.reduce((value, octet) => value * 256 + octet, 0);
}

/** Returns the name of a scheme in the facts of a verdict: `ecdsa-sha256`, `rsa-pss-sha256`, … */
export const nameOf = (scheme: Scheme): string => `${scheme.family}-${scheme.hash}`;

/**
 * Returns why a signature of this scheme by this key proves nothing, or null. SHA-1 signatures are
 * refused unless `legacy` is `flag`: collisions cost a few thousand dollars, and a signer's
 * certificate is valid for ten years. Keys below the minimums of ICAO 9303-12 (RSA and DSA 2048, EC
 * 224) and curves that it does not name are always refused.
 */
export function refusalOf(
  scheme: Scheme,
  key: KeyObject | null,
  legacy: LegacyPolicy = 'refuse',
): string | null {
  if (!key) return 'the key cannot be read';
  if (scheme.hash === 'sha1' && legacy === 'refuse') return 'SHA-1';
  return weaknessOf(scheme, key, 2048);
}

/** With an exponent of 1, anyone can forge a signature. */
const rsaExponentMin = 3n;
/** A longer public exponent makes verification thirty times slower than real keys do. */
const rsaExponentBitsMax = 64n;
/** The longest key of FIPS 186-4. */
const dsaBitsMax = 3072;

/** Like `refusalOf`, but accepts SHA-1. */
export function weaknessOf(scheme: Scheme, key: KeyObject, rsaBitsMin: number): string | null {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (scheme.family === 'ecdsa' || scheme.family === 'ecdsa-plain') {
    if (type !== 'ec') return 'the key is of another kind';
    return curves.has(details?.namedCurve ?? '') ? null : 'the curve is not named in ICAO 9303-12';
  }
  if (scheme.family === 'dsa') {
    if (type !== 'dsa') return 'the key is of another kind';
    const [modulusBits, orderBits] = [details?.modulusLength ?? 0, details?.divisorLength ?? 0];
    if (modulusBits > dsaBitsMax) return 'the key is huge';
    return modulusBits >= 2048 && orderBits >= 224 ? null : 'DSA below 2048 bits';
  }
  if (type !== 'rsa' && !(type === 'rsa-pss' && scheme.family === 'rsa-pss')) {
    return 'the key is of another kind';
  }
  const exponent = details?.publicExponent ?? 0n;
  if (exponent < rsaExponentMin) return `the exponent of the key is below ${rsaExponentMin}`;
  if (exponent >> rsaExponentBitsMax) return 'the exponent of the key is huge';
  return (details?.modulusLength ?? 0) >= rsaBitsMin ? null : `RSA below ${rsaBitsMin} bits`;
}

/** Verifies one signature. Returns false, and never throws, for hostile signature bytes. */
export function verifyBytes(
  scheme: Scheme,
  key: KeyObject | null,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (!key) return false;
  try {
    const verifyKey = scheme.parameters ? maskedBy(key, scheme.parameters) : key;
    return verify(scheme.hash, data, { key: verifyKey, ...optionsOf(scheme) }, signature);
  } catch {
    return false;
  }
}

/**
 * Returns the key bound to RSA-PSS parameters (RFC 4055 §1.2): a verify call cannot name the hash
 * of the mask, but a key can. A key that is already bound stays unchanged.
 */
function maskedBy(key: KeyObject, parameters: Uint8Array): KeyObject {
  if (key.asymmetricKeyDetails?.mgf1HashAlgorithm) return key;
  const spki = readElement(key.export({ format: 'der', type: 'spki' }), tags.sequence);
  const bits = childrenOf(spki.contents)[1];
  if (!bits) throw new MalformedDer('no key');
  const algorithm = encoded(tags.sequence, rsaPssOid, parameters);
  const bound = encoded(tags.sequence, algorithm, bits.whole);
  return createPublicKey({ key: bound, format: 'der', type: 'spki' });
}

const rsaPssOid = Buffer.from('06092a864886f70d01010a', 'hex');

function optionsOf(scheme: Scheme) {
  switch (scheme.family) {
    case 'rsa':
      return { padding: constants.RSA_PKCS1_PADDING };
    case 'rsa-pss':
      return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.saltLength ?? 20 };
    case 'ecdsa':
    case 'dsa':
      return { dsaEncoding: 'der' as const };
    case 'ecdsa-plain':
      return { dsaEncoding: 'ieee-p1363' as const };
  }
}
