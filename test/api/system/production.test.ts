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

it.each(['/outbox', '/outbox/messages'])('%s is not there in production', async (path) => {
  expect((await call('GET', path)).status).toBe(200);
  const hidden = await call('GET', path, { at: api.origin });
  expect([hidden.status, hidden.body['code']]).toEqual([404, 'not_found']);
});

it.each(['/codec/decode', '/codec/encode'])('%s is an operator’s', async (path) => {
  const body = { payloads: [] };
  const refused = await call('POST', path, { at: api.origin, body });
  expect([refused.status, refused.body['code']]).toEqual([401, 'credential_invalid']);
});
