// The subset of node:crypto that the verifier uses. The bundler replaces node:crypto with it.
import { sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { Buffer, lack } from './buffer.ts';
import { publicKeyOf, PublicKey, type HashName } from './public-key.ts';
import { spkiOfJwk } from './spki.ts';

export { X509Certificate } from './x509.ts';
export { PublicKey as KeyObject } from './public-key.ts';

const makers = { sha1, sha224, sha256, sha384, sha512 } as const;

/** An incremental hash. */
class Hash {
  readonly #state;

  constructor(state: ReturnType<(typeof makers)[HashName]['create']>) {
    this.#state = state;
  }

  update(data: string | Uint8Array): this {
    this.#state.update(typeof data === 'string' ? Buffer.from(data) : data);
    return this;
  }

  copy(): Hash {
    return new Hash(this.#state.clone());
  }

  digest(): Buffer;
  digest(encoding: string): string;
  digest(encoding?: string): Buffer | string {
    const bytes = Buffer.from(this.#state.digest());
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
}

export function createHash(name: string): Hash {
  return new Hash(makers[hashNamed(name)].create());
}

function hashNamed(name: string): HashName {
  if (!Object.hasOwn(makers, name)) throw lack(`hash ${name}`);
  return name as HashName;
}

export const constants = { RSA_PKCS1_PADDING: 1, RSA_PKCS1_PSS_PADDING: 6 } as const;

interface Spki {
  readonly key: Uint8Array;
  readonly format: 'der';
  readonly type: 'spki';
}
interface Jwk {
  readonly key: Readonly<Record<string, string>>;
  readonly format: 'jwk';
}

/** Creates a public key from SubjectPublicKeyInfo in DER, or from an Ed25519 JWK (RFC 8037). */
export function createPublicKey(input: Spki | Jwk): PublicKey {
  return publicKeyOf(input.format === 'jwk' ? spkiOfJwk(input.key) : input.key);
}

interface KeyWithOptions {
  readonly key: PublicKey;
  readonly padding?: number;
  readonly dsaEncoding?: 'der' | 'ieee-p1363';
}

/** Verifies a signature with a key. For Ed25519, the hash name is null. */
export function verify(
  hash: string | null,
  data: Uint8Array,
  input: PublicKey | KeyWithOptions,
  signature: Uint8Array,
): boolean {
  const options: KeyWithOptions = input instanceof PublicKey ? { key: input } : input;
  const { key, padding = constants.RSA_PKCS1_PADDING, dsaEncoding = 'der' } = options;
  if (key.asymmetricKeyType === 'rsa' && padding !== constants.RSA_PKCS1_PADDING) {
    throw lack('RSA-PSS');
  }
  const name = hash === null ? null : hashNamed(hash);
  return key.verify(name, data, { signature, encoding: dsaEncoding });
}
