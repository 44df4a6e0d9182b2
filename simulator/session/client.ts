import { asksForNonce, type BrowserKey } from '../../client/browser-key.ts';
import { isWorthRepeating } from '../../client/retry.ts';
import type { Device } from '../device/device.ts';

interface Fault {
  readonly loc?: readonly (string | number)[];
  readonly msg?: string;
  readonly type?: string;
}

/** The used members of a problem (RFC 9457), or of a 422 response. */
export interface Problem {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string | readonly Fault[];
  readonly reason_code?: unknown;
}

/** An API call failed with a problem. The message is one line with its code and detail. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly status: number;
  readonly code: string;
  readonly reasonCode: string | null;

  constructor(status: number, { code, title, detail, reason_code }: Problem) {
    const faults = typeof detail === 'string' || !detail ? [] : detail;
    const reason = typeof reason_code === 'string' ? reason_code : null;
    const named = code ?? faults[0]?.type ?? '';
    const message = typeof detail === 'string' ? detail : faults.map(lineOf).join('; ');
    const head = [status || '', named, reason && reason !== named ? `(${reason})` : ''];
    super([head.filter(Boolean).join(' '), message || title].filter(Boolean).join(': '));
    this.status = status;
    this.code = named;
    this.reasonCode = reason;
  }
}

function lineOf({ loc = [], msg = '' }: Fault): string {
  return loc.length > 0 ? `${loc.join('.')}: ${msg}` : msg;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Raw bytes instead of JSON. */
  readonly bytes?: Uint8Array;
  readonly token?: string;
  readonly idempotencyKey?: string;
  /** Phone that signs this request with its attested key. */
  readonly device?: Device;
  /** Key to which the check token is or will be bound. */
  readonly clientKey?: BrowserKey;
  /**
   * Called after each signature and before it is sent, because the platform counts it on receipt.
   */
  readonly onSigned?: () => Promise<void>;
  /** How long the call is retried while the platform is unavailable. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 60_000;
const waitMsMax = 5_000;
const callMsMax = 15_000;

/**
 * Creates a client that calls the public API like an app: with a timeout, and with retries while
 * the platform is unavailable. Every call with side effects has an idempotency key, so that a retry
 * is harmless. Device and key signatures are made again for each attempt, over the nonce of the
 * previous response.
 * @param fetch sends one attempt
 */
export function createClient(baseUrl: string, fetch: typeof globalThis.fetch = globalThis.fetch) {
  let nonce = '';
  const send = async (method: string, path: string, options: CallOptions) => {
    const body = options.bytes ?? (options.body === undefined ? '' : JSON.stringify(options.body));
    const headers: Record<string, string> = { accept: 'application/json' };
    if (options.token) headers['authorization'] = `Bearer ${options.token}`;
    if (options.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey;
    if (options.bytes) headers['content-type'] = 'application/octet-stream';
    else if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (options.device)
      headers['attest'] = await options.device.attest({ method, path, body }, nonce);
    const url = new URL(path, baseUrl);
    const { clientKey, token } = options;
    if (clientKey) {
      const bytes = body.length === 0 ? null : Buffer.from(body);
      headers['dpop'] = await clientKey.sign({ method, url: url.href, token, body: bytes });
    }
    await options.onSigned?.();
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(callMsMax),
      ...(body.length === 0 ? {} : { body: body as string }),
    }).catch(() => null);
    nonce = response?.headers.get('attest-nonce') ?? nonce;
    clientKey?.takeNonce(response?.headers.get('dpop-nonce'));
    return response;
  };
  return async function call<T>(
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<T> {
    const deadline = Date.now() + (options.patienceMs ?? usualPatienceMs);
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(method, path, options);
      if (Date.now() < deadline && (await comesAgain(response))) {
        const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
        const isNonce = response?.status === 401;
        const waitMs = isNonce ? 0 : Math.min(Math.max(askedMs, 250 * 2 ** attempt), waitMsMax);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      if (response === null) throw new CallFailed(0, { detail: `no answer from ${baseUrl}` });
      if (response.status === 302) return { location: response.headers.get('location') } as T;
      const body = await jsonOf(response);
      if (!response.ok) throw new CallFailed(response.status, body ?? {});
      const fault = 'the answer is not that of a trustcheck platform';
      if (body === null) throw new CallFailed(response.status, { detail: fault });
      return body as T;
    }
  };
}

/**
 * Returns true if the same request should be sent again: no response, a nonce to sign, or an error
 * that every client retries. Not for 429, because a phone reports the refusal and does not wait.
 */
async function comesAgain(response: Response | null): Promise<boolean> {
  if (response === null) return true;
  if (response.ok || response.status === 429) return false;
  const code = (await jsonOf(response.clone()))?.code ?? '';
  const isUnsigned = code === 'attest_nonce_required' || asksForNonce(response.status, code);
  return isUnsigned || isWorthRepeating(response.status, code);
}

/** The response may come from a proxy. */
async function jsonOf(response: Response): Promise<Problem | null> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' ? body : null;
}

export type Call = ReturnType<typeof createClient>;

/** Returns a call function that signs with the key to which the caller's check token is bound. */
export const signedBy =
  (clientKey: BrowserKey, call: Call): Call =>
  (method, path, options) =>
    call(method, path, { ...options, clientKey });
