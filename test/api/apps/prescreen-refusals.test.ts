import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newKey } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { prescreening, type Prescreening } from './prescreening.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
let account: Seed;
let made: Prescreening;

beforeAll(async () => {
  account = await newAccount(`prescreen-refusals-${process.pid}`);
  made = prescreening(db, account);
});
afterAll(() => db.end());

describe('apps.prescreenSummary', () => {
  it.each(['x', '', '1,', ',1', '1,2,3,4,5', '1 ,2', '-1', '1'.repeat(129), "1' OR 1=1", '١'])(
    'rejects the posting %j',
    async (id) => {
      expect((await made.summary(`job_id=${encodeURIComponent(id)}`)).status).toBe(422);
    },
  );

  it('accepts four ids of 31 digits', async () => {
    const ids = Array.from({ length: 4 }, (_, place) => String(place).repeat(31)).join(',');
    expect(await made.funnel(`job_id=${ids}`)).toEqual({});
  });

  it.each([
    'start_date=2026-02-02&end_date=2026-02-01',
    'start_date=2025-01-01&end_date=2026-01-02',
    'start_date=2999-01-01',
    'start_date=2026-02-30',
    'start_date=2026-2-1',
    'start_date=0000-01-01&end_date=0000-01-02',
    'end_date=9999-12-31',
    'end_date=today',
    'end_date=2026-01-01T00:00:00Z',
    'start_date=2026-01-01&start_date=2026-01-02',
    'account_id=0',
    'account_id=1.5',
    'account_id=2147483648',
  ])('rejects the query %s', async (query) => {
    expect((await made.summary(query)).status).toBe(422);
  });

  it('accepts 366 days and dates in the future', async () => {
    const { body } = await made.summary('start_date=2025-01-01&end_date=2026-01-01');
    expect((body['daily'] as unknown[]).length).toBe(366);
    expect((await made.summary('start_date=9998-01-01&end_date=9998-12-31')).status).toBe(200);
    expect((await made.summary('start_date=1970-01-01&end_date=1970-01-01')).status).toBe(200);
  });

  it('covers the key’s account, or the account a session names and administers', async () => {
    const id = account.account_id;
    expect((await made.summary(`account_id=${id}`)).status).toBe(200);
    expect(outcome(await made.summary(`account_id=${own.account_id}`))).toEqual([
      403,
      'account_mismatch',
    ]);
    const { admin, member, subject } = account;
    const bySession = (token: string, query = `account_id=${id}`) => made.summary(query, token);
    expect((await bySession(admin.session_token)).status).toBe(200);
    expect(outcome(await bySession(admin.session_token, ''))).toEqual([400, 'account_required']);
    expect(outcome(await bySession(member.session_token))).toEqual([403, 'role_required']);
    expect(outcome(await bySession(subject.session_token))).toEqual([404, 'not_found']);
    expect(outcome(await bySession(foreign.admin.session_token))).toEqual([404, 'not_found']);
  });
});

describe('apps.prescreenAccount', () => {
  const path = '/v2/analytics/prescreen/account';

  it('returns the account of the key, regardless of its roles', async () => {
    for (const key of [own.api_key, await newKey(['VIEWER']), await newKey([])]) {
      const told = await call('GET', `${path}?account_id=${foreign.account_id}`, { token: key });
      expect([told.status, told.body]).toEqual([200, { account_id: own.account_id }]);
    }
  });

  it('refuses a session', async () => {
    const asked = await call('GET', path, { token: own.admin.session_token });
    expect(outcome(asked)).toEqual([400, 'api_key_required']);
  });
});
