const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signing = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** The key pair of a client. A page can keep it in IndexedDB; its private key is not readable. */
export type BrowserKeyPair = Awaited<ReturnType<typeof makeKeyPair>>;

/** The request that a proof is made for. */
export interface SignedFacts {
  readonly method: string;
  /** Absolute; its query and fragment are left out of the proof. */
  readonly url: string;
  /** The token in the `Authorization` header, if one is sent. */
  readonly token?: string | null | undefined;
  readonly body?: Uint8Array | null | undefined;
}

/** The key of a client that signs requests (RFC 9449), and the nonce that the service gave last. */
export interface BrowserKey {
  /** Makes the value of the `DPoP` header. It is good for one request. */
  readonly sign: (facts: SignedFacts) => Promise<string>;
  /** Takes the nonce for the next proofs: `DPoP-Nonce` of an answer. */
  readonly takeNonce: (nonce: string | null | undefined) => void;
}

/** Makes a P-256 pair whose private key signs and cannot be exported. */
export const makeKeyPair = () => crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);

/** Signs with a pair, or with a new one, which ends with the process or the page. */
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

/** Whether a refusal asks for the same request again, signed with the nonce of that answer. */
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
