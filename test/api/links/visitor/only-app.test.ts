import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import type { Db } from '../../../../db/client.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const appId = `only-app-${process.pid}`;
const missing = [422, [{ loc: ['query', 'app_id'], msg: 'Field required', type: 'missing' }]];
const outcome = ({ status, body }: Answer): unknown[] => [status, body['detail']];
let db: Db;
let account: Seed;

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  account = await newAccount(appId);
});
afterAll(() => db.end());

const create = (token: string, query = ''): Promise<Answer> =>
  call('PUT', `/v2/link/type/meeting${query}`, { token, body: {} });

describe('links.createByType without an app_id', () => {
  it('uses the only active app of the account', async () => {
    for (const token of [account.api_key, account.member.session_token]) {
      const made = await create(token);
      expect([made.status, made.body['app_id']]).toEqual([200, appId]);
    }
  });

  it('requires app_id if there are several apps, and ignores archived ones', async () => {
    const another = `${appId}-b`;
    await db.query(
      `INSERT INTO apps SELECT (jsonb_populate_record(a, jsonb_build_object('app_id', $2::text))).*
       FROM apps a WHERE app_id = $1`,
      [appId, another],
    );
    expect(outcome(await create(account.api_key))).toEqual(missing);
    const named = await create(account.api_key, `?app_id=${another}`);
    expect([named.status, named.body['app_id']]).toEqual([200, another]);
    await db.query("UPDATE apps SET status = 'archived' WHERE app_id = $1", [another]);
    const made = await create(account.api_key);
    expect([made.status, made.body['app_id']]).toEqual([200, appId]);
    await db.query("UPDATE apps SET status = 'archived' WHERE account_id = $1", [
      account.account_id,
    ]);
    expect(outcome(await create(account.api_key))).toEqual(missing);
  });

  it('requires app_id from a person without an account', async () => {
    expect(outcome(await create(own.subject.session_token))).toEqual(missing);
  });
});
