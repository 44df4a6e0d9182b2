import { describe, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';

describe('the audit log of webhook endpoints', () => {
  it('records who changed the destination of events, without secrets or full URLs', async () => {
    const account = await newAccount(`audited-endpoint-${process.pid}`);
    const { api_key: token } = account;
    const at = `/v2/accounts/${account.account_id}/webhook-endpoints`;
    const body = { url: 'http://127.0.0.1:9/hook-secret?t=1', types: ['meeting.ended'] };
    const headers = { 'idempotency-key': `audited-${process.pid}` };
    const made = await call('POST', at, { token, body, headers });
    expect((await call('POST', at, { token, body, headers })).body).toEqual(made.body);
    const id = String(made.body['endpoint_id']);
    const patch = (change: object) => call('PATCH', `${at}/${id}`, { token, body: change });
    await patch({ types: [], url: 'http://127.0.0.1:9/other-secret' });
    await patch({ types: [] });
    await patch({ url: 'http://127.0.0.1:10/', status: 'disabled' });
    const rotated = await call('POST', `${at}/${id}/rotate-secret`, { token, body: {} });
    await call('DELETE', `${at}/${id}`, { token });
    expect((await patch({ types: [] })).status).toBe(404);
    const rows = (await audited(account)).toReversed();
    expect(rows.map(({ action, details }) => [action, details])).toEqual([
      [
        'webhook_endpoint.created',
        {
          origin: 'http://127.0.0.1:9',
          app_id: null,
          livemode: true,
          types: ['meeting.ended'],
          description: null,
          status: 'enabled',
        },
      ],
      [
        'webhook_endpoint.updated',
        { from: { types: ['meeting.ended'] }, to: { types: [] }, url_changed: true },
      ],
      [
        'webhook_endpoint.updated',
        {
          from: { origin: 'http://127.0.0.1:9', status: 'enabled' },
          to: { origin: 'http://127.0.0.1:10', status: 'disabled' },
          url_changed: true,
        },
      ],
      ['webhook_endpoint.secret_rotated', {}],
      [
        'webhook_endpoint.removed',
        {
          from: {
            origin: 'http://127.0.0.1:10',
            app_id: null,
            livemode: true,
            types: [],
            description: null,
            status: 'disabled',
          },
        },
      ],
    ]);
    expect(new Set(rows.map(({ actor, object_id }) => [actor, object_id].join()))).toEqual(
      new Set([`${rows[0]?.actor},${id}`]),
    );
    expect(rows[0]?.actor).toContain(token.slice(0, 20));
    const told = JSON.stringify(rows);
    for (const secret of [made, rotated].map((answer) => String(answer.body['secret']))) {
      expect(told).not.toContain(secret);
    }
    expect(told).not.toMatch(/(hook|other)-secret/);
  });
});
