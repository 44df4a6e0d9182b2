/** The problem an API call ended with. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly status: number;
  readonly code: string;

  constructor(status: number, body: { code?: string; detail?: unknown }) {
    super(`${status} ${body.code ?? ''} ${JSON.stringify(body.detail ?? '')}`.trim());
    this.status = status;
    this.code = body.code ?? '';
  }
}

const patienceMs = 60_000;
const waitMsMax = 5_000;

/** Calls the public API as an app does: with a time-out, and patiently again
 * while it is away. Every call that changes something carries its key, so that a repeat is harmless. */
export function createClient(baseUrl: string) {
  return async function call<T>(
    method: string,
    path: string,
    options: { body?: unknown; token?: string; idempotencyKey?: string } = {},
  ): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (let attempt = 0; ; attempt += 1) {
      const headers: Record<string, string> = { accept: 'application/json' };
      if (options.token) headers['authorization'] = `Bearer ${options.token}`;
      if (options.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey;
      if (options.body !== undefined) headers['content-type'] = 'application/json';
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(15_000),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      }).catch(() => null);
      if (Date.now() < deadline && (await isWorthRepeating(response))) {
        const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000;
        const waitMs = Math.min(Math.max(askedMs, 250 * 2 ** attempt), waitMsMax);
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

/** No answer, 503, or the first try of this very request still runs: the same request comes again. */
async function isWorthRepeating(response: Response | null): Promise<boolean> {
  if (response === null || response.status === 503) return true;
  if (response.status !== 409) return false;
  const { code } = (await response.clone().json()) as { code?: string };
  return code === 'idempotency_in_progress';
}

export type Call = ReturnType<typeof createClient>;
