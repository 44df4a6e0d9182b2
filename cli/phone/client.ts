import type { Device } from './device.ts';

/** The problem an API call ended with. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly status: number;
  readonly code: string;
  readonly reasonCode: string | null;

  constructor(status: number, body: { code?: string; detail?: unknown; reason_code?: unknown }) {
    const reason = typeof body.reason_code === 'string' ? body.reason_code : null;
    super(`${status} ${reason ?? body.code ?? ''} ${JSON.stringify(body.detail ?? '')}`.trim());
    this.status = status;
    this.code = body.code ?? '';
    this.reasonCode = reason;
  }
}

export interface CallOptions {
  readonly body?: unknown;
  /** Raw bytes instead of JSON. */
  readonly bytes?: Uint8Array;
  readonly token?: string;
  readonly idempotencyKey?: string;
  /** The phone that signs this request. */
  readonly device?: Device;
}

const patienceMs = 60_000;
const waitMsMax = 5_000;
const callMsMax = 15_000;

/**
 * Calls the public API as an app does: with a time-out, and patiently again while it is away. Every
 * call that changes something carries its key, so that a repeat is harmless. A call by a device is
 * signed for each try, over the nonce the answer before gave.
 * @param fetch sends one try
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
    if (options.device) headers['attest'] = options.device.attest({ method, path, body }, nonce);
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(callMsMax),
      ...(body.length === 0 ? {} : { body: body as string }),
    }).catch(() => null);
    nonce = response?.headers.get('attest-nonce') ?? nonce;
    return response;
  };
  return async function call<T>(
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(method, path, options);
      if (Date.now() < deadline && (await isWorthRepeating(response))) {
        const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
        const isNonce = response?.status === 401;
        const waitMs = isNonce ? 0 : Math.min(Math.max(askedMs, 250 * 2 ** attempt), waitMsMax);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      if (response === null) throw new CallFailed(0, { detail: 'no answer' });
      if (response.status === 302) return { location: response.headers.get('location') } as T;
      const body = (await response.json()) as { code?: string; detail?: unknown };
      if (!response.ok) throw new CallFailed(response.status, body);
      return body as T;
    }
  };
}

/** No answer, 503, a first try that still runs, or a nonce to sign over: the same request again. */
async function isWorthRepeating(response: Response | null): Promise<boolean> {
  if (response === null || response.status === 503) return true;
  if (response.status !== 409 && response.status !== 401) return false;
  const { code } = (await response.clone().json()) as { code?: string };
  return code === 'idempotency_in_progress' || code === 'attest_nonce_required';
}

export type Call = ReturnType<typeof createClient>;
