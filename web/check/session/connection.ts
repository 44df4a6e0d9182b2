import { asksForNonce, type BrowserKey } from '../../../client/browser-key.ts';

/** A request to the service, before it is signed. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly token?: string | undefined;
  /** Idempotency key. Retries of a call send the same key, so that the service executes it once. */
  readonly key?: string;
  /** JSON, or file content as bytes. */
  readonly body?: unknown;
}

/** Reports whether the service can be reached. */
export type OnLine = (isOnline: boolean) => void;

/** The connection of this page to the service. */
export interface Service {
  /** Signs each call. */
  readonly browser: Promise<BrowserKey>;
  readonly onLine: OnLine;
}

const socketsPath = '/socket.io/';
/** Without a network, no answer ever arrives. The service limits the duration of an upload. */
const answerMsMax = 60_000;

/** Milliseconds by which the clock of this device is ahead of the service's clock. */
let aheadMs = 0;
/** Returns the time of the service. The clock of a device can be days off. */
export const serviceNow = (): number => Date.now() - aheadMs;

/**
 * Sends a signed call. Repeats it at once if the service requires a proof with a fresh nonce, or
 * has already seen the proof: browsers repeat a request by themselves when its connection breaks.
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

/** Returns the `auth` of a socket: the token, and the proof of possession of its key. */
export async function socketAuth(token: string, browser: BrowserKey) {
  const url = location.origin + socketsPath;
  return { token, proof: await browser.sign({ method: 'GET', url, token }) };
}
