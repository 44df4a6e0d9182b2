import { AsyncLocalStorage } from 'node:async_hooks';
import { KeyObject, randomInt } from 'node:crypto';
import {
  asksForNonce,
  createBrowserKey,
  makeKeyPair,
  type BrowserKey,
  type BrowserKeyPair,
} from '../../../client/browser-key.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { parseJws } from '../../../domain/tokens/jws.ts';

/** A browser, which the service identifies by its key. */
export interface Browser extends BrowserKey {
  readonly jkt: string;
  /** Gets the first nonce, so that no call is sent twice to obtain it. */
  readonly prepare: (origin: string) => Promise<void>;
  /** Gets a nonce of another service than that of the last call. */
  readonly turnTo: (origin: string) => Promise<void>;
}

const browsers = new Map<string, Browser>();
const calling = new AsyncLocalStorage<Browser>();
let usual: Promise<Browser> | undefined;

/** Creates a browser with its own key. It signs every call with a token bound to that key. */
export const newBrowser = async (): Promise<Browser> => browserWith(await makeKeyPair());

/** Returns the client with this key pair, for example an app on a phone. */
export async function browserWith(pair: BrowserKeyPair): Promise<Browser> {
  const key = await createBrowserKey(pair);
  const jkt = thumbprintOf(publicJwkOf(KeyObject.from(pair.publicKey)));
  const known = browsers.get(jkt);
  if (known) return known;
  let prepared: Promise<void> | undefined;
  const turnTo = async (origin: string): Promise<void> => {
    const response = await fetch(`${origin}/v2/trust-checks`, {
      method: 'POST',
      // Uses a random address, because the service rejects many begins from one address.
      headers: { dpop: 'none', 'x-forwarded-for': `10.255.${randomInt(256)}.${randomInt(256)}` },
    }).catch(() => null);
    key.takeNonce(response?.headers.get('dpop-nonce'));
  };
  const browser: Browser = {
    ...key,
    jkt,
    prepare: (origin) => (prepared ??= turnTo(origin)),
    turnTo,
  };
  browsers.set(jkt, browser);
  return browser;
}

/** Runs `calls` as this browser instead of the shared one. */
export const asBrowser = <T>(browser: Browser, calls: () => Promise<T>): Promise<T> =>
  calling.run(browser, calls);

/**
 * Returns the browser to which a token is bound; null if it is bound to no browser of this process.
 */
export function browserOf(token: string | null): Browser | null {
  const { jkt } = Object(parseJws(token ?? '')?.claims['cnf']) as { jkt?: string };
  return browsers.get(jkt ?? '') ?? null;
}

/** A request with the key and nonce that sign it. */
interface Signable {
  readonly browser: Browser;
  readonly sign: () => Promise<string>;
}

/**
 * Returns the browser that signs a request, and its proof; null for a request that no browser
 * signs.
 */
async function signableOf(url: URL, init: RequestInit, base: string): Promise<Signable | null> {
  const headers = new Headers(init.headers);
  const token = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null;
  const browser = headers.has('dpop') ? null : await signerOf(url, init, token);
  if (!browser) return null;
  await browser.prepare(url.origin);
  const facts = {
    method: init.method ?? 'GET',
    url: `${base}${url.pathname}`,
    token,
    body: bytesOf(init.body),
  };
  return { browser, sign: () => browser.sign(facts) };
}

/**
 * Returns the `dpop` header that a browser sends with a request; empty if no browser signs it. The
 * service may differ from that of earlier calls.
 */
export async function proofOf(address: string, init: RequestInit): Promise<{ dpop?: string }> {
  const url = new URL(address);
  const signable = await signableOf(url, init, url.origin);
  if (!signable) return {};
  await signable.browser.turnTo(url.origin);
  return { dpop: await signable.sign() };
}

/**
 * Sends like the page of a check. The key of a check token signs the calls with it, and the current
 * browser signs a begin. All other calls, and those with a `dpop` header, pass unchanged.
 * @param base public base URL of the service; default: the origin of the call
 */
export function signing(send: typeof fetch, base?: string): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const signable = await signableOf(url, init, base ?? url.origin);
    if (!signable) return send(url, init);
    const attempt = async (): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('dpop', await signable.sign());
      const response = await send(url, { ...init, headers });
      signable.browser.takeNonce(response.headers.get('dpop-nonce'));
      return response;
    };
    const first = await attempt();
    const { code } = (first.status === 401 ? await first.clone().json() : {}) as { code?: string };
    return asksForNonce(first.status, code) ? attempt() : first;
  };
}

async function signerOf(
  { pathname }: URL,
  { method }: RequestInit,
  token: string | null,
): Promise<Browser | null> {
  const bound = browserOf(token);
  if (bound) return bound;
  const isBegin = method === 'POST' && pathname === '/v2/trust-checks';
  return isBegin ? (calling.getStore() ?? (usual ??= newBrowser())) : null;
}

function bytesOf(body: RequestInit['body']): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : undefined;
}

/** Returns the `auth` of a socket, with the proof of the browser to which its token is bound. */
export async function socketAuth(
  base: string,
  token: unknown,
): Promise<{ token: unknown; proof?: string }> {
  const browser = typeof token === 'string' ? browserOf(token) : null;
  if (!browser) return { token };
  await browser.turnTo(base);
  const url = `${base}/socket.io/`;
  return { token, proof: await browser.sign({ method: 'GET', url, token: String(token) }) };
}
