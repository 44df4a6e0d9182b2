import { beforeAll, describe, expect, it } from 'vitest';
import { base64OfHex } from '../../../../activities/proofs/device/judge-enrollment.ts';
import { bindToCurrentApp } from '../../../../activities/proofs/device/app-binding.ts';
import { simulatedApp } from '../../../../domain/proofs/device/simulated-app.ts';
import { enroll, newPhone, pairedSession, signedCall } from '../../../support/checks/phone.ts';
import { call, clientOf } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const { android } = simulatedApp;
const appId = `android-now-${process.pid}`;
const path = `/v2/accounts/${own.account_id}/apps/${appId}`;
const choose = async (chosen: object | null): Promise<void> => {
  const body = { android: chosen };
  expect((await call('PATCH', path, { token: own.api_key, body })).status).toBe(200);
};
const another = 'ab'.repeat(32);

describe('a check with a phone enrolled before its Android app was reconfigured', () => {
  beforeAll(async () => {
    const body = { name: 'Entered anew', kind: 'sdk', android };
    expect((await call('PUT', path, { token: own.api_key, body })).status).toBe(201);
  });

  const enrolled = async () => {
    const phone = await newPhone('android');
    expect((await enroll(phone, { app_id: appId })).status).toBe(201);
    return phone;
  };
  const handIn = async (chosen: object) => {
    const phone = await enrolled();
    const links = clientOf(own.api_key).links;
    const { link_uuid } = await links.create({
      app_id: appId,
      body: { required_proofs: ['device'] },
    });
    const session = await pairedSession(phone, link_uuid);
    await choose(chosen);
    const at = `/v2/trust-checks/${session.id}/proofs/device`;
    const answer = await signedCall(phone, 'POST', at, { token: session.token, body: {} });
    await choose(android);
    return answer;
  };

  it.each([
    ['patch_level_low', { ...android, patch_level_min: 209_912 }],
    ['security_level_low', { ...android, security_level_min: 'strong_box' }],
    ['package_mismatch', { ...android, package: 'example.another' }],
    ['signature_mismatch', { ...android, signature_digests: [another] }],
    ['device_integrity_missing', { ...android, integrity_min: 'strong' }],
  ])('fails with %s', async (reason, chosen) => {
    const { status, body } = await handIn(chosen);
    expect([status, body['status'], body['reason_code']]).toEqual([200, 'failed', reason]);
  });

  it('passes if the phone meets the new requirements of the app', async () => {
    const { status, body } = await handIn({ ...android, patch_level_min: 201_501 });
    expect([status, body['status'], body['reason_code']]).toEqual([200, 'passed', null]);
  });

  it('judges the stored Play verdict by the current app, except for version_min', () => {
    const policy = { package: 'a.b', certificate_digests: [], verdicts: ['X'], version_min: 2 };
    const file = { kind: 'play-integrity', at: 'then', policy, input: {} };
    const app = { ...android, signature_digests: [...android.signature_digests], version_min: 9 };
    expect(bindToCurrentApp([file], app)).toEqual([
      {
        ...file,
        policy: {
          package: android.package,
          certificate_digests: android.signature_digests.map(base64OfHex),
          version_min: 2,
        },
      },
    ]);
  });

  it('is refused after the app has no Android configuration', async () => {
    const phone = await enrolled();
    await choose(null);
    const renewal = `/v2/devices/${phone.enrolled?.deviceId}/certificate`;
    const answer = await signedCall(phone, 'POST', renewal);
    await choose(android);
    expect([answer.status, answer.body['code']]).toEqual([403, 'app_id_mismatch']);
  });
});
