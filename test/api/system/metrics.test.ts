import { afterAll, beforeAll, expect, it } from 'vitest';
import { enrolledPhone, newChallenge, newPhone, signedCall } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const { own } = ownPlatform();
let api: SecondApi;
beforeAll(async () => {
  api = await startSecondApi();
});
afterAll(() => api.stop());

const refusals = async (): Promise<Record<string, number>> => {
  const { values } = await api.metrics.attestationRefusals.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]));
};

it('refused attestations are counted by reason, in headers and at enrollment', async () => {
  const device = await enrolledPhone('ios');
  const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
  const renew = (options: object) =>
    signedCall(device, 'POST', path, { at: api.origin, ...options });
  expect((await renew({ signed: { body: 'another' } })).status).toBe(403);
  expect((await renew({ signed: { body: 'another' } })).status).toBe(403);
  expect((await renew({ nonce: 'none' })).status).toBe(401);
  const emulator = await newPhone('android', 'emulator');
  const body = await emulator.enrollment(await newChallenge(), own.app_id);
  const refused = await call('POST', '/v2/devices', { body, at: api.origin });
  expect([refused.status, refused.body['code']]).toEqual([403, 'attestation_refused']);
  // Faults unrelated to the device are not counted.
  const unknown = `/v2/devices/dev_${'0'.repeat(26)}/certificate`;
  expect((await signedCall(device, 'POST', unknown, { at: api.origin })).status).toBe(404);
  // The operation is public and reads no bearer token.
  expect((await renew({ token: 'nonsense' })).status).toBe(201);
  expect(await refusals()).toEqual({
    body_mismatch: 2,
    attest_nonce_required: 1,
    [String(refused.body['reason_code'])]: 1,
  });
});
