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

const attemptsMax = 8;
const waitMsMax = 5_000;

/** Calls the public API as an app does: with a time-out, and again after a 503 or 429. */
export function createClient(baseUrl: string) {
  return async function call<T>(
    method: string,
    path: string,
    options: { body?: unknown; token?: string; idempotencyKey?: string } = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
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
      const isAway = response === null || response.status === 503;
      if (isAway && attempt < attemptsMax) {
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(250 * 2 ** attempt, waitMsMax)),
        );
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

export type Call = ReturnType<typeof createClient>;
