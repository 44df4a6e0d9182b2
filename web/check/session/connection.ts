import { asksForNonce, type BrowserKey } from '../../../client/browser-key.ts';

/** A request to the service, before it is signed. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly token?: string | undefined;
  /** Repetitions of a call have the same key, so that the service does it once. */
  readonly key?: string;
  /** JSON, or the bytes of a file. */
  readonly body?: unknown;
}

/** Tells whether the service can be reached. */
export type OnLine = (isOnline: boolean) => void;

/** The service as this page calls it. */
export interface Service {
  /** Signs each call. */
  readonly browser: Promise<BrowserKey>;
  readonly onLine: OnLine;
}

const socketsPath = '/socket.io/';
/** A network that is gone gives no answer. The service limits how long an upload may take. */
const answerMsMax = 60_000;

/** How far the clock of this device is ahead of the service's. */
let aheadMs = 0;
/** The time of the service: the clock of a device can be days off. */
export const serviceNow = (): number => Date.now() - aheadMs;

/**
 * Sends a signed call; again at once where the service asks for a proof over a fresh nonce, and
 * where it has seen the proof: browsers repeat a request by themselves when its connection breaks.
 */
export async function send(path: string, call: Call, browser: BrowserKey): Promise<Response> {
  const body = await bytesOf(call.body);
  const first = await sendOnce(path, call, body, browser);
  if (first.status !== 401) return first;
  const { code, rule } = Object(await first.clone().json()) as { code?: string; rule?: string };
  const isAsked = asksForNonce(first.status, code) || rule === 'jti';
  return isAsked ? sendOnce(path, call, body, browser) : first;
}

async function sendOnce(
  path: string,
  { method, token, key, body: given }: Call,
  body: Uint8Array<ArrayBuffer> | undefined,
  browser: BrowserKey,
): Promise<Response> {
  const url = new URL(path, location.origin).href;
  const type = given instanceof Blob ? 'application/octet-stream' : 'application/json';
  const response = await fetch(url, {
    method,
    headers: {
      dpop: await browser.sign({ method, url, token, body }),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body }),
    ...(given instanceof Blob ? {} : { signal: AbortSignal.timeout(answerMsMax) }),
  });
  browser.takeNonce(response.headers.get('dpop-nonce'));
  const serviceMs = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(serviceMs)) aheadMs = Date.now() - serviceMs;
  return response;
}

async function bytesOf(body: unknown): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === undefined) return undefined;
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer());
  return new TextEncoder().encode(JSON.stringify(body));
}

/** The `auth` of a socket: its token, and the proof that it has the key of the token. */
export async function socketAuth(token: string, browser: BrowserKey) {
  const url = location.origin + socketsPath;
  return { token, proof: await browser.sign({ method: 'GET', url, token }) };
}
