import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newKey } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let token: string;
let at: string;
let person: string;

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const get = (path: string, query = '', as = token): Promise<Answer> =>
  call('GET', `${path}?${query}`, { token: as });

beforeAll(async () => {
  account = await newAccount(`unlogged-${process.pid}`);
  token = account.api_key;
  at = `/v2/logs/account/${account.account_id}`;
  person = account.subject.poly_user_id;
});
afterAll(() => db.end());

describe('logs', () => {
  it.each([
    'page=0',
    'page=x',
    'page=1000001',
    'page_size=0',
    'page_size=-1',
    'page_size=1.5',
    'log_types=',
    'log_types=meeting,',
    'log_types=call',
    'log_types=meeting,call',
    `search=${'x'.repeat(201)}`,
    `search=${encodeURIComponent('😀'.repeat(201))}`,
    'search=%00',
    'search=a&search=b',
    'cursor=x',
    `cursor=${Buffer.from('[1,"xabc",2]').toString('base64url')}`,
    `cursor=${Buffer.from('[1,"mabc",2,-1]').toString('base64url')}`,
    `cursor=${Buffer.from('[1,"m\'",2]').toString('base64url')}`,
  ])('return 422 for %s', async (query) => {
    expect((await get(at, query)).status).toBe(422);
    expect((await get('/v2/logs/me', query, account.subject.session_token)).status).toBe(422);
  });

  it('are visible only to readers of the account', async () => {
    const user = (id: string, of = account.account_id) => `/v2/logs/user/${id}/account/${of}`;
    const mine = account.subject.session_token;
    const refused: [string, string, number, string][] = [
      [at, foreign.api_key, 404, 'not_found'],
      [at, mine, 404, 'not_found'],
      ['/v2/logs/account/2147483647', token, 404, 'not_found'],
      [user(person), foreign.api_key, 404, 'not_found'],
      [user(person, own.account_id), token, 404, 'not_found'],
      [user(person), mine, 404, 'not_found'],
      ['/v2/logs/me', token, 400, 'session_required'],
    ];
    for (const [path, as, status, code] of refused) {
      expect(outcome(await get(path, '', as)), path).toEqual([status, code]);
    }
    for (const path of ['/v2/logs/account/0', '/v2/logs/account/x', user('a%2fb'), user("'")]) {
      expect((await get(path)).status, path).toBe(422);
    }
    const nobody = await get(user(randomIds.make('pu')));
    expect([nobody.status, nobody.body['total']]).toEqual([200, 0]);
    const viewer = await newKey(['VIEWER']);
    const account_id = own.account_id;
    expect((await get(`/v2/logs/account/${account_id}`, 'page_size=1', viewer)).status).toBe(200);
    expect((await get(user(person, account_id), '', viewer)).body['total']).toBe(0);
    const none = await newKey([]);
    expect(outcome(await get(`/v2/logs/account/${account_id}`, '', none))).toEqual([
      403,
      'role_required',
    ]);
  });
});
