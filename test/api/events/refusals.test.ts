import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type Answer } from '../../support/http/client.ts';
import { newEndpoint } from '../../support/people/samples.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import {
  productionSettings,
  startSecondApi,
  type SecondApi,
} from '../../support/platform/second-api.ts';

const { own } = ownPlatform();
const { api_key: token } = own;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

let production: SecondApi;
beforeAll(async () => {
  const settings = { ...productionSettings(), webhookEndpointsMax: 1000 };
  const lookUp = async (hostname: string) => [
    { address: '8.8.8.8' },
    ...(hostname.startsWith('inside.') ? [{ address: '10.0.0.5' }] : []),
  ];
  production = await startSecondApi({}, { settings, lookUp });
});
afterAll(() => production.stop());

describe('a webhook endpoint', () => {
  it.each([
    'http://example.test/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://169.254.169.254/latest',
    'https://[fd00::1]/',
    'https://user:pw@example.test/',
    'https://localhost../',
    'https://x.localhost/',
    'https://nas.lan./',
    'https://router.home.arpa/',
    'https://db.internal/',
    'https://printer.local/',
    'https://localhost.localdomain/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:808:808]/',
    'https://inside.example.com/',
    'https://inside.example.com./',
  ])('cannot have the address %s in production', async (url) => {
    const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;
    const place = await newEndpoint();
    for (const refused of [
      await call('POST', at, { token, body: { url }, at: production.origin }),
      await call('PATCH', place, { token, body: { url }, at: production.origin }),
    ]) {
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('forbidden_target');
    }
    const kept = await call('GET', place, { token });
    expect(kept.body['url']).toBe('http://127.0.0.1:9/');
  });

  it('can have a host name with a public address', async () => {
    const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;
    const body = { url: 'https://outside.example.com/in', types: ['meeting.ended'] };
    const made = await call('POST', at, { token, body, at: production.origin });
    expect(made.status).toBe(201);
    await call('DELETE', `${at}/${String(made.body['endpoint_id'])}`, { token });
  });

  it('returns 404 for a replay of an unknown delivery', async () => {
    const place = `${await newEndpoint()}/deliveries/wd_none/replay`;
    expect(outcome(await call('POST', place, { token, body: {} }))).toEqual([404, 'not_found']);
  });

  it('with an unknown id is 404 for every operation', async () => {
    const at = `/v2/accounts/${own.account_id}/webhook-endpoints/we_${'0'.repeat(26)}`;
    const answers = await Promise.all([
      call('GET', at, { token }),
      call('PATCH', at, { token, body: {} }),
      call('DELETE', at, { token }),
      call('POST', `${at}/rotate-secret`, { token, body: {} }),
      call('GET', `${at}/deliveries`, { token }),
      call('POST', `${at}/deliveries/wd_none/replay`, { token, body: {} }),
    ]);
    for (const answer of answers) expect(outcome(answer)).toEqual([404, 'not_found']);
  });
});
