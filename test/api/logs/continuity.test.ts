import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { logged, type Logged } from './logged.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let made: Logged;
let token: string;
let person: string;

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

beforeAll(async () => {
  account = await newAccount(`met-${process.pid}`);
  token = account.api_key;
  person = account.subject.poly_user_id;
  const link = await call('PUT', `/v2/link/${account.app_id}`, { token, body: {} });
  made = logged(db, account, String(link.body['link_uuid']));
});
afterAll(() => db.end());

describe('continuity', () => {
  const met = (poly_user_ids: unknown, as = token, account_id: unknown = account.account_id) =>
    call('POST', '/v2/logs/continuity', { token: as, body: { account_id, poly_user_ids } });

  it('returns when and how often each person was met, in the requested order', async () => {
    const guest = randomIds.make('pu');
    const days = [3, 1, 2].map((day) => new Date(Date.UTC(2026, 2, day)));
    const [last] = days;
    for (const day of days) await made.newMeeting({ at: day, people: { [guest]: day } });
    // The person was expected and never joined.
    await made.newMeeting({ at: new Date(Date.UTC(2026, 3, 1)), people: { [guest]: null } });
    const unknown = randomIds.make('pu');
    const never = { poly_user_id: unknown, last_met_at: null, meeting_count: 0 };
    const known = { poly_user_id: guest, last_met_at: last?.toISOString(), meeting_count: 3 };
    const { status, body } = await met([unknown, guest, unknown, guest]);
    expect([status, body]).toEqual([
      200,
      { account_id: account.account_id, items: [never, known, never, known] },
    ]);
    const elsewhere = await met([guest], own.api_key, own.account_id);
    expect(elsewhere.body['items']).toEqual([{ ...never, poly_user_id: guest }]);
    const many = await met(Array.from({ length: 200 }, () => guest));
    expect((many.body['items'] as unknown[]).length).toBe(200);
  });

  it('counts live meetings, and test meetings only for a test key', async () => {
    const guest = randomIds.make('pu');
    const [played, held] = [1, 2].map((day) => new Date(Date.UTC(2026, 4, day)));
    if (!played || !held) throw new Error('no days');
    await made.newMeeting({ at: held, people: { [guest]: held } });
    await made.newMeeting({ at: played, people: { [guest]: played }, livemode: false });
    const path = `/v2/accounts/${account.account_id}/api-keys`;
    const body = { name: 'of test mode', roles: ['VIEWER'], livemode: false };
    const { api_key } = (await call('POST', path, { token, body })).body;
    const of = (at: Date) => [
      { poly_user_id: guest, last_met_at: at.toISOString(), meeting_count: 1 },
    ];
    for (const live of [token, account.admin.session_token]) {
      expect((await met([guest], live)).body['items']).toEqual(of(held));
    }
    expect((await met([guest], String(api_key))).body['items']).toEqual(of(played));
  });

  it('accepts 1 to 200 people and only the caller’s own account', async () => {
    expect(outcome(await met([person], foreign.api_key))).toEqual([404, 'not_found']);
    expect(outcome(await met([person], account.subject.session_token))).toEqual([404, 'not_found']);
    for (const wrong of [[], ["'"], [1], ['a'.repeat(65)], 'x', null, Array(201).fill(person)]) {
      expect((await met(wrong)).status).toBe(422);
    }
    for (const wrong of ['1', 0, 1.5, 2_147_483_648, null]) {
      expect((await met([person], token, wrong)).status).toBe(422);
    }
  });
});
