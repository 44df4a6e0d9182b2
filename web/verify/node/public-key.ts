import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384, p521 } from '@noble/curves/nist.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { Buffer, lack } from './buffer.ts';
import { isRsaSignature, readRsaKey, type RsaKey } from './rsa.ts';
import { keyOids, readSpki } from './spki.ts';

export type HashName = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

const hashes = { sha1, sha224, sha256, sha384, sha512 } as const;
/** Curves by object identifier (RFC 5480 §2.1.1.1), with OpenSSL's names. */
const curves = new Map([
  ['1.2.840.10045.3.1.7', { name: 'prime256v1', curve: p256 }],
  ['1.3.132.0.34', { name: 'secp384r1', curve: p384 }],
  ['1.3.132.0.35', { name: 'secp521r1', curve: p521 }],
]);

/**
 * Key types that OpenSSL supports and this page does not: DSA, RSA-PSS, Ed448, and the SECG and
 * Brainpool curves.
 */
const otherKinds: ReadonlySet<string> = new Set([
  '1.2.840.10040.4.1',
  '1.2.840.113549.1.1.10',
  '1.3.101.113',
]);
const otherCurves = /^1\.3\.(132\.0|36\.3\.3\.2\.8\.1\.1)\.\d+$/;

export interface GivenSignature {
  readonly signature: Uint8Array;
  /** Encoding of the two numbers of an ECDSA signature. */
  readonly encoding: 'der' | 'ieee-p1363';
}

type Check = (hash: HashName | null, data: Uint8Array, signature: GivenSignature) => boolean;

interface Details {
  readonly namedCurve?: string;
  readonly modulusLength?: number;
  readonly publicExponent?: bigint;
}

/** A public key with the members of node:crypto's `KeyObject` that the verifier uses. */
export class PublicKey {
  readonly asymmetricKeyType: 'ec' | 'rsa' | 'ed25519';
  readonly asymmetricKeyDetails: Details;
  /**
   * Verifies a signature with this key.
   * @throws if the signature is malformed
   */
  readonly verify: Check;
  readonly #spki: Uint8Array;

  constructor(
    kind: Pick<PublicKey, 'asymmetricKeyType' | 'asymmetricKeyDetails' | 'verify'>,
    spki: Uint8Array,
  ) {
    this.asymmetricKeyType = kind.asymmetricKeyType;
    this.asymmetricKeyDetails = kind.asymmetricKeyDetails;
    this.verify = kind.verify;
    this.#spki = spki;
  }

  /** Returns SubjectPublicKeyInfo in DER. */
  export(): Buffer {
    return Buffer.from(this.#spki);
  }
}

/**
 * Parses SubjectPublicKeyInfo.
 * @throws for an unsupported kind of key
 */
export function publicKeyOf(der: Uint8Array): PublicKey {
  const { algorithm, curve, bits } = readSpki(der);
  if (algorithm === keyOids.ec) return new PublicKey(ecKey(curve, bits), der);
  if (algorithm === keyOids.rsa) return new PublicKey(rsaKey(readRsaKey(bits)), der);
  if (algorithm === keyOids.ed25519) return new PublicKey(ed25519Key(bits), der);
  if (otherKinds.has(algorithm)) throw lack(`keys of ${algorithm}`);
  throw new Error('no key that anybody knows');
}

type Kind = ConstructorParameters<typeof PublicKey>[0];

function ecKey(oid: string | null, point: Uint8Array): Kind {
  const found = oid === null ? undefined : curves.get(oid);
  if (oid !== null && !found && otherCurves.test(oid)) throw lack(`the curve ${oid}`);
  if (!found) throw new Error('no curve that anybody knows');
  const { name, curve } = found;
  if (!curve.utils.isValidPublicKey(point)) throw new Error('not a point of the curve');
  return {
    asymmetricKeyType: 'ec',
    asymmetricKeyDetails: { namedCurve: name },
    verify(hash, data, { signature, encoding }) {
      if (hash === null) throw lack('ECDSA without a hash');
      const format = encoding === 'der' ? 'der' : 'compact';
      const options = { prehash: false, lowS: false, format } as const;
      return curve.verify(signature, hashes[hash](data), point, options);
    },
  };
}

function rsaKey(key: RsaKey): Kind {
  const { modulusLength, publicExponent } = key;
  return {
    asymmetricKeyType: 'rsa',
    asymmetricKeyDetails: { modulusLength, publicExponent },
    verify(hash, data, { signature }) {
      if (hash === null) throw lack('RSA without a hash');
      return isRsaSignature(key, hash, { digest: hashes[hash](data), signature });
    },
  };
}

function ed25519Key(bytes: Uint8Array): Kind {
  if (bytes.length !== 32) throw new Error('not a key of Ed25519');
  return {
    asymmetricKeyType: 'ed25519',
    asymmetricKeyDetails: {},
    verify(hash, data, { signature }) {
      if (hash !== null) throw lack('Ed25519 with a hash');
      return ed25519.verify(signature, data, bytes, { zip215: false });
    },
  };
}
