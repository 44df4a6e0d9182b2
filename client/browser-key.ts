const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signing = { name: 'ECDSA', hash: 'SHA-256' } as const;

/**
 * The key pair of a client. A page can keep it in IndexedDB; its private key is not extractable.
 */
export type BrowserKeyPair = Awaited<ReturnType<typeof makeKeyPair>>;

/** The request that a proof is made for. */
export interface SignedFacts {
  readonly method: string;
  /** Absolute URL; the proof omits its query and fragment. */
  readonly url: string;
  /** The token in the `Authorization` header, if one is sent. */
  readonly token?: string | null | undefined;
  readonly body?: Uint8Array | null | undefined;
}

/** A client key that signs requests (RFC 9449), with the last nonce of the service. */
export interface BrowserKey {
  /** Makes the value of the `DPoP` header, valid for one request. */
  readonly sign: (facts: SignedFacts) => Promise<string>;
  /** Stores the `DPoP-Nonce` of a response for the next proofs. */
  readonly takeNonce: (nonce: string | null | undefined) => void;
}

/** Generates a P-256 pair with a private key that cannot be exported. */
export const makeKeyPair = () => crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);

/**
 * Creates a signer from a pair. Without a pair it generates one that is lost when the process or
 * page ends.
 */
export async function createBrowserKey(pair?: BrowserKeyPair): Promise<BrowserKey> {
  const { privateKey, publicKey } = pair ?? (await makeKeyPair());
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const header = encode(toJson({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }));
  let nonce: string | undefined;
  return {
    async sign({ method, url, token, body }) {
      const { origin, pathname } = new URL(url);
      const claims = {
        jti: encode(crypto.getRandomValues(new Uint8Array(16))),
        htm: method,
        htu: origin + pathname,
        iat: Math.floor(Date.now() / 1000),
        nonce,
        ...(token ? { ath: await hash(utf8.encode(token)) } : {}),
        ...(body ? { body_sha256: await hash(body) } : {}),
      };
      const input = `${header}.${encode(toJson(claims))}`;
      const signature = await crypto.subtle.sign(signing, privateKey, utf8.encode(input));
      return `${input}.${encode(new Uint8Array(signature))}`;
    },
    takeNonce(given) {
      nonce = given ?? nonce;
    },
  };
}

/**
 * Returns true if an error response requests the same call again, signed with the nonce of that
 * response.
 */
export const asksForNonce = (status: number, code: unknown): boolean =>
  status === 401 && code === 'use_dpop_nonce';

const utf8 = new TextEncoder();
const toJson = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value));

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

async function hash(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes));
  return encode(new Uint8Array(digest));
}
