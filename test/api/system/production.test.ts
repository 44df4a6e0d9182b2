import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import {
  productionSettings,
  startSecondApi,
  type SecondApi,
} from '../../support/platform/second-api.ts';

let api: SecondApi;
beforeAll(async () => {
  api = await startSecondApi({}, { settings: productionSettings() });
});
afterAll(() => api.stop());

it.each(['/outbox', '/outbox/messages'])('%s returns 404 in production', async (path) => {
  expect((await call('GET', path)).status).toBe(200);
  const hidden = await call('GET', path, { at: api.origin });
  expect([hidden.status, hidden.body['code']]).toEqual([404, 'not_found']);
});

it.each(['/codec/decode', '/codec/encode'])(
  '%s requires an operator in production',
  async (path) => {
    const body = { payloads: [] };
    const refused = await call('POST', path, { at: api.origin, body });
    expect([refused.status, refused.body['code']]).toEqual([401, 'credential_invalid']);
  },
);
