import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seed, type Seed } from '../../../cli/data-directory/seed.ts';
import { openDb, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { baseUrl, databaseUrl } = ownPlatform();
/** The production settings but for this timeout. */
const queryTimeoutMs = 400;

let database: Awaited<ReturnType<typeof createDatabase>>;
let impatient: Db;
let api: SecondApi;
let account: Seed;

beforeAll(async () => {
  database = await createDatabase(databaseUrl);
  const deps = { db: database.db, keys: platformKeys(), ids: randomIds, baseUrl };
  account = await seed(deps, 'alone', new Date());
  const named = { connectionsMax: 4, applicationName: 'impatient', queryTimeoutMs };
  impatient = openDb({ url: database.url, ...named }, () => undefined);
  api = await startSecondApi({}, { db: impatient });
});
afterAll(async () => {
  await api.stop();
  await impatient.end();
  await database.drop();
});

const headersOf = (more: Record<string, string> = {}) => ({
  'content-type': 'application/json',
  ...more,
});
const askForMail = (more: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.origin}/v2/email/login/request`, {
    method: 'POST',
    headers: headersOf(more),
    body: JSON.stringify({ email: 'secret-person@example.test' }),
  });

describe('an unexpected fault', () => {
  const rename = (from: string, to: string) =>
    database.db.query(`ALTER TABLE ${from} RENAME TO ${to}`);

  it('returns only a request id, and no email is sent without rate limit', async () => {
    await rename('rate_limits', 'gone');
    const before = await askForMail({ 'request-id': 'of-the-caller-1' });
    const text = await before.text();
    await rename('gone', 'rate_limits');
    expect([before.status, before.headers.get('content-type')]).toEqual([
      500,
      'application/problem+json; charset=utf-8',
    ]);
    expect(JSON.parse(text)).toEqual({
      type: `${baseUrl}/docs/errors/unexpected`,
      title: 'Unexpected error',
      status: 500,
      code: 'unexpected',
      request_id: 'of-the-caller-1',
    });
    expect(before.headers.get('request-id')).toBe('of-the-caller-1');
    for (const [name, value] of before.headers) {
      expect(`${name}: ${value}`).not.toMatch(/rate_limits|relation|42P01|secret-person|node:/);
    }
    const { rowCount } = await database.db.query('SELECT 1 FROM email_requests');
    expect(rowCount).toBe(0);
    // After the repair the same request succeeds.
    expect((await askForMail()).status).toBe(202);
  });

  it.each([
    ['markup', '<script>alert(1)</script>'],
    ['a quote', 'abcdefgh"'],
    ['blanks', 'abcd efgh'],
    ['too much', 'a'.repeat(65)],
    ['too little', 'abcdefg'],
    ['more than ASCII', 'abcdefgh\u00e9'],
    ['a path', '../../etc/passwd'],
    ['a field of a log', 'abcdefgh,level=50'],
  ])('gets a new request id if that of the caller contains %s', async (_what, offered) => {
    for (const path of ['/v2/raw/none', '/nowhere', '/v2/email/link']) {
      const answer = await fetch(`${api.origin}${path}`, { headers: { 'request-id': offered } });
      const shown = answer.headers.get('request-id');
      expect(shown).toMatch(/^req_[0-9a-z-]{26,36}$/);
      const { request_id: told } = (await answer.json()) as { request_id: string };
      expect(told).toBe(shown);
    }
  });
});

describe('a search that takes too long', () => {
  it('is canceled in the database and can be repeated', async () => {
    const holder = await database.db.connect();
    const path = `/v2/logs/account/${account.account_id}?search=anybody`;
    const headers = headersOf({ authorization: `Bearer ${account.api_key}` });
    const search = (): Promise<Response> => fetch(`${api.origin}${path}`, { headers });
    try {
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE trust_checks, meetings IN ACCESS EXCLUSIVE MODE');
      const late = await search();
      const { code } = (await late.json()) as { code: string };
      expect([late.status, code]).toEqual([503, 'dependency_unavailable']);
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
      // The server has canceled the query too: nothing runs on after the answer.
      await expect
        .poll(async () => {
          const { rowCount } = await database.db.query(
            `SELECT 1 FROM pg_stat_activity
             WHERE application_name = 'impatient' AND datname = current_database()
               AND state = 'active'`,
          );
          return rowCount;
        })
        .toBe(0);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect((await search()).status).toBe(200);
  });
});
