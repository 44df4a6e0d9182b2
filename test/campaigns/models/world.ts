import { call, type Answer, type CallOptions } from '../../support/http/client.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

/** An API whose clock the test moves on, and what is asked of it. */
export interface World {
  readonly now: () => Date;
  readonly advance: (ms: number) => void;
  /** Begins anew, at this very moment, as somebody else. */
  readonly reset: () => void;
  readonly ask: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

let lastAddress = 0;

/** An API in this process, on the platform's stores, with a clock of its own. */
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
        // The machine may be busy with other things: come again, as callers are told to.
        if (answer.status !== 503) return answer;
      }
    },
    stop: () => api.stop(),
  };
}

export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? String(status) : `${status} ${String(body['code'])}`;

/** How a session token that is not good is refused: a genuine one that has run out is told so. */
export const refusalOf = (
  { nowMs }: { readonly nowMs: number },
  token: { readonly endsAtMs: number },
) => (nowMs >= token.endsAtMs ? '401 credential_expired' : '401 credential_invalid');
