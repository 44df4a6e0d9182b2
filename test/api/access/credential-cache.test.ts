import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import {
  mintSessionToken,
  readSessionToken,
  type SessionClaims,
} from '../../../activities/tokens/session-token.ts';
import { call } from '../../support/http/client.ts';
import { newMember } from '../../support/people/members.ts';
import { newKey } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { baseUrl, dataDir, databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
/** How long an API without change notifications trusts a session: it serves no sockets. */
const trustedMs = 5_000;
/** Well below the 30 seconds for which a notified API trusts a session. */
const toldMsMax = 5_000;
let now = new Date();
let api: SecondApi;

beforeAll(async () => {
  api = await startSecondApi({}, { clock: () => now });
});
afterAll(async () => {
  await api.stop();
  await db.end();
});

const statusOf = async (token: string): Promise<number> =>
  (await call('GET', '/v2/events', { token, at: api.origin })).status;
const pass = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};

it('an API without change notifications refuses an ended session after five seconds', async () => {
  const { token, losses } = await newMember(db);
  for (const [what, { take, give }] of Object.entries(losses)) {
    pass(trustedMs);
    expect(await statusOf(token), what).toBe(200);
    await take();
    pass(trustedMs - 1);
    // The session is still cached, so that not every call reads the database.
    expect(await statusOf(token), what).toBe(200);
    pass(1);
    expect(await statusOf(token), what).toBe(401);
    await give();
    expect(await statusOf(token), what).toBe(200);
  }
});

it('an API with change notifications refuses a session that was ended by another process', async () => {
  const live = await startSecondApi({}, {}, { recheckMs: 30_000 });
  try {
    const { token, losses } = await newMember(db);
    const statusHere = async (): Promise<number> =>
      (await call('GET', '/v2/events', { token, at: live.origin })).status;
    const becomes = (what: string, status: number): Promise<unknown> =>
      eventually(what, async () => (await statusHere()) === status, toldMsMax);
    for (const [what, { take, give }] of Object.entries(losses)) {
      await becomes(`on before ${what}`, 200);
      await take();
      await becomes(`refused after ${what}`, 401);
      await give();
    }
  } finally {
    await live.stop();
  }
});

it('the cached result of one token does not apply to another token of the same session', async () => {
  const { token } = await newMember(db);
  const keys = loadKeys(join(dataDir, 'keys'));
  const claims = await readSessionToken(keys, baseUrl, token, now);
  if (!claims) throw new Error('the token is not read');
  const withClaims = (change: Partial<SessionClaims>): Promise<string> =>
    mintSessionToken(keys.tokens, baseUrl, { ...claims, ...change });
  const higher = await withClaims({ roles: [...claims.roles, 'ADMIN'] });
  const elsewhere = await withClaims({ account_id: foreign.account_id });
  expect(await statusOf(token)).toBe(200);
  expect([await statusOf(higher), await statusOf(elsewhere)]).toEqual([401, 401]);
  expect(await statusOf(token)).toBe(200);
});

it('a revoked key is refused at once', async () => {
  const key = await newKey(['VIEWER']);
  expect(await statusOf(key)).toBe(200);
  const id = key.slice(0, 'tk_live_'.length + 12);
  await db.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [id]);
  expect(await statusOf(key)).toBe(401);
});
