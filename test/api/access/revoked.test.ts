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
/** Of an API that hears of nothing: it serves no sockets. */
const trustedMs = 5_000;
/** Well below the half a minute for which a session is believed. */
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

it('a process that hears of no changes refuses an ended session after five seconds', async () => {
  const { token, losses } = await newMember(db);
  for (const [what, { take, give }] of Object.entries(losses)) {
    pass(trustedMs);
    expect(await statusOf(token), what).toBe(200);
    await take();
    pass(trustedMs - 1);
    // Believed still, without a question to the store for every call.
    expect(await statusOf(token), what).toBe(200);
    pass(1);
    expect(await statusOf(token), what).toBe(401);
    await give();
    expect(await statusOf(token), what).toBe(200);
  }
});

it('a process that hears of changes refuses a session that was ended elsewhere', async () => {
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

it('what was found of one token of a session is not believed of another', async () => {
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

it('a key that was revoked is refused at once', async () => {
  const key = await newKey(['VIEWER']);
  expect(await statusOf(key)).toBe(200);
  const id = key.slice(0, 'tk_live_'.length + 12);
  await db.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [id]);
  expect(await statusOf(key)).toBe(401);
});
