import { describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';

const { own, foreign } = ownPlatform();
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const url = 'http://127.0.0.1:9/';

describe('the webhook endpoints of an account', () => {
  it('are limited to twenty by default, even when added concurrently', async () => {
    const account = await newAccount(`endpoint-limit-${process.pid}`);
    const at = `/v2/accounts/${account.account_id}/webhook-endpoints`;
    const api = await startSecondApi();
    const add = (headers = {}): Promise<Answer> =>
      call('POST', at, { token: account.api_key, body: { url }, headers, at: api.origin });
    try {
      const key = { 'idempotency-key': `limit-${process.pid}-${Math.random()}` };
      const first = await add(key);
      const answers = await Promise.all(Array.from({ length: 25 }, () => add()));
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(outcome)).toEqual(
        Array.from({ length: 6 }, () => [409, 'endpoint_limit']),
      );
      const list = await call('GET', at, { token: account.api_key });
      expect(list.body['items']).toHaveLength(20);
      // A repeated request returns its existing endpoint.
      expect((await add(key)).body['endpoint_id']).toBe(first.body['endpoint_id']);
      const one = `${at}/${String(first.body['endpoint_id'])}`;
      expect((await call('DELETE', one, { token: account.api_key })).status).toBe(200);
      expect((await add()).status).toBe(201);
      expect(outcome(await add())).toEqual([409, 'endpoint_limit']);
    } finally {
      await api.stop();
    }
  });

  it('belong to one app of the account or to all', async () => {
    const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;
    const add = (app_id: string): Promise<Answer> =>
      call('POST', at, { token: own.api_key, body: { url, app_id, types: ['meeting.ended'] } });
    for (const app of [foreign.app_id, 'no-such-app']) {
      expect(outcome(await add(app))).toEqual([404, 'not_found']);
    }
    const made = await add(own.app_id);
    expect([made.status, made.body['app_id']]).toEqual([201, own.app_id]);
  });
});
