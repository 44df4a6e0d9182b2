import { call, type Answer, type CallOptions } from '../../support/http/client.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

/** An API with a clock that the test moves, and functions to call it. */
export interface World {
  readonly now: () => Date;
  readonly advance: (ms: number) => void;
  /** Starts again at the current time, with another caller address. */
  readonly reset: () => void;
  readonly ask: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

let lastAddress = 0;

/** Opens an API in this process on the platform’s stores, with its own clock. */
export async function openWorld(): Promise<World> {
  let aheadMs = 0;
  let address = '';
  const now = (): Date => new Date(Date.now() + aheadMs);
  const api: SecondApi = await startSecondApi({ TRUSTED_PROXIES: 'loopback' }, { clock: now });
  return {
    now,
    advance: (ms) => void (aheadMs += ms),
    reset: () => {
      aheadMs = 0;
      lastAddress += 1;
      const host = `${Math.floor(lastAddress / 250) % 250}.${1 + (lastAddress % 250)}`;
      address = `172.${32 + (process.pid % 16)}.${host}`;
    },
    async ask(method, path, options = {}) {
      const headers = { 'x-forwarded-for': address, ...options.headers };
      for (;;) {
        const answer = await call(method, path, { ...options, headers, at: api.origin });
        // The machine may be busy: retries as the documents require of clients.
        if (answer.status !== 503) return answer;
      }
    },
    stop: () => api.stop(),
  };
}

export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? String(status) : `${status} ${String(body['code'])}`;

/**
 * Returns the expected refusal of an invalid session token; an expired genuine one has its own
 * code.
 */
export const refusalOf = (
  { nowMs }: { readonly nowMs: number },
  token: { readonly endsAtMs: number },
) => (nowMs >= token.endsAtMs ? '401 credential_expired' : '401 credential_invalid');
