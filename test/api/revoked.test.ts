import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { call } from '../client.ts';
import { openTestDb } from '../harness.ts';
import { startSecondApi, type SecondApi } from '../second-api.ts';
import { newKey } from './samples.ts';

const { foreign, databaseUrl } = inject('platform');
const { member, account_id: accountId } = foreign;
const db = openTestDb(databaseUrl);
const trustedMs = 30_000;
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
const { sid } = JSON.parse(
  Buffer.from(member.session_token.split('.')[1] ?? '', 'base64url').toString(),
) as { sid: string };
const both = [member.poly_user_id, accountId];
const ofBoth = 'WHERE poly_user_id = $1 AND account_id = $2';

const losses = {
  'was revoked': {
    take: () => db.query('UPDATE sessions SET revoked_at = now() WHERE sid = $1', [sid]),
    give: () => db.query('UPDATE sessions SET revoked_at = NULL WHERE sid = $1', [sid]),
  },
  'has lost its membership': {
    take: () => db.query(`DELETE FROM memberships ${ofBoth}`, both),
    give: () => db.query(`INSERT INTO memberships VALUES ($1, $2, '{MEMBER}', now())`, both),
  },
  'has lost a role': {
    take: () => db.query(`UPDATE memberships SET roles = '{VIEWER}' ${ofBoth}`, both),
    give: () => db.query(`UPDATE memberships SET roles = '{MEMBER}' ${ofBoth}`, both),
  },
  'has a disabled account': {
    take: () =>
      db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [accountId]),
    give: () =>
      db.query('UPDATE accounts SET disabled_at = NULL WHERE account_id = $1', [accountId]),
  },
};

describe('a session that', () => {
  it.for(Object.entries(losses))('%s is refused half a minute later', async ([, loss]) => {
    pass(trustedMs);
    expect(await statusOf(member.session_token)).toBe(200);
    await loss.take();
    try {
      pass(trustedMs - 1);
      // Believed still, without a question to the store for every call.
      expect(await statusOf(member.session_token)).toBe(200);
      pass(1);
      expect(await statusOf(member.session_token)).toBe(401);
    } finally {
      await loss.give();
    }
    expect(await statusOf(member.session_token)).toBe(200);
  });
});

it('a key that was revoked is refused at once', async () => {
  const key = await newKey(['VIEWER']);
  expect(await statusOf(key)).toBe(200);
  const id = key.slice(0, 'tk_live_'.length + 12);
  await db.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [id]);
  expect(await statusOf(key)).toBe(401);
});
