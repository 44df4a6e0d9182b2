import { afterEach } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, collecting, type Answer, type Session } from '../http/client.ts';
import { startSecondApi, type SecondApi } from '../platform/second-api.ts';
import { newAccount } from './accounts.ts';

/** Status and code of an answer to a send. */
export const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? null];
export const sent = [202, null];
export const refused = [429, 'rate_limited'];

let accounts = 0;
export function anotherAccount(name: string): Promise<Seed> {
  accounts += 1;
  return newAccount(`${name}-${process.pid}-${accounts}`);
}

/** A session of an account that waits for a phone number. */
export async function codeSession(account: Seed): Promise<Session> {
  const made = await call('PUT', `/v2/link/${account.app_id}`, {
    token: account.api_key,
    body: { required_proofs: ['phone'] },
  });
  return collecting(String(made.body['link_uuid']));
}

/** Requests a code, from the platform's own API or another one. */
export const askCode = (
  to: Session,
  phone_number: string,
  { headers = {}, at }: { headers?: Record<string, string>; at?: string | undefined } = {},
): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${to.id}/phone/code`, {
    token: to.token,
    body: { phone_number },
    headers,
    ...(at === undefined ? {} : { at }),
  });

/** Starts an API with its own settings for each test of a file, and sends requests to it. */
export function smsApis(name: string) {
  let api: SecondApi | null = null;
  const stop = async (): Promise<void> => {
    await api?.stop();
    api = null;
  };
  afterEach(stop);
  return {
    stop,
    start: async (settings: Readonly<Record<string, string>>): Promise<void> => {
      api = await startSecondApi(settings);
    },
    another: (): Promise<Seed> => anotherAccount(name),
    send: (to: Session, number: string, headers = {}): Promise<Answer> =>
      askCode(to, number, { headers, at: api?.origin }),
  };
}

const networks = ['160', '162', '163', ...Array.from({ length: 10 }, (_, nr) => `17${nr}`)];
const firstRange = Number(process.env.VITEST_WORKER_ID) * 100;
let ranges = 0;

/**
 * Returns a prefix of phone numbers that no other test uses and `newNumber` never returns. Each
 * process has 100 prefixes, derived from its unique vitest worker id.
 */
export function newRange(): string {
  const nr = firstRange + ranges;
  ranges += 1;
  const network = networks[Math.trunc(nr / 10_000) % networks.length];
  return `+49${network}${String(nr % 10_000).padStart(4, '0')}`;
}
