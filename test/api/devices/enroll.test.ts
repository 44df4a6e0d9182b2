import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { simulatedApp } from '../../../domain/proofs/device/simulated-app.ts';
import {
  enroll,
  enrolledPhone,
  newChallenge,
  newPhone,
  signedCall,
} from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();

describe('devices.challenge', () => {
  it('returns 32 random bytes, valid for five minutes, the same for a repeated request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call('POST', '/v2/devices/challenge', { headers });
    expect(first.status).toBe(201);
    expect(Buffer.from(String(first.body['challenge']), 'base64url')).toHaveLength(32);
    const lifeMs = Date.parse(String(first.body['expires_at'])) - Date.now();
    expect(Math.round(lifeMs / 60_000)).toBe(5);
    const again = await call('POST', '/v2/devices/challenge', { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe.each(['ios', 'android'] as const)('devices.enroll of an %s phone', (platform) => {
  it('certifies the signing key for a new person', async () => {
    const device = await newPhone(platform);
    const answer = await enroll(device);
    expect(answer.status).toBe(201);
    expect(answer.body['device_id']).toMatch(/^dev_[0-9a-z]{26}$/);
    expect(answer.body['poly_user_id']).toMatch(/^pu_[0-9a-z]{26}$/);
    const [leaf, ca] = (answer.body['certificate_chain'] as string[]).map(
      (pem) => new X509Certificate(pem),
    );
    expect(leaf?.subject).toBe(`CN=${String(answer.body['poly_user_id'])}`);
    expect(leaf?.checkPrivateKey(device.signingKey)).toBe(true);
    expect(ca && leaf?.verify(ca.publicKey)).toBe(true);
    expect(Date.parse(String(answer.body['expires_at']))).toBe(leaf?.validToDate.getTime());
  });

  it('adds the device to the person of a session', async () => {
    const device = await newPhone(platform);
    const answer = await enroll(device, {}, { token: own.member.session_token });
    expect(answer.body['poly_user_id']).toBe(own.member.poly_user_id);
    const listed = await call('GET', '/v2/devices', { token: own.member.session_token });
    const ids = (listed.body['items'] as { device_id: string }[]).map((item) => item.device_id);
    expect(ids).toContain(answer.body['device_id']);
  });

  it('returns the same device for a repeated request', async () => {
    const device = await newPhone(platform);
    const body = await device.enrollment(await newChallenge(), own.app_id);
    const headers = { 'idempotency-key': randomUUID() };
    const both = await Promise.all([
      call('POST', '/v2/devices', { body, headers }),
      call('POST', '/v2/devices', { body, headers }),
    ]);
    const again = await call('POST', '/v2/devices', { body, headers });
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)[0]).toBe(201);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('accepts each key once', async () => {
    const device = await enrolledPhone(platform);
    const again = await enroll(device);
    expect([again.status, again.body['code']]).toEqual([409, 'device_enrolled']);
  });

  it('accepts each challenge once, even after a failure', async () => {
    const challenge = await newChallenge();
    const first = await newPhone(platform);
    const body = await first.enrollment(challenge, own.app_id);
    expect((await call('POST', '/v2/devices', { body })).status).toBe(201);
    const second = await newPhone(platform);
    const late = await call('POST', '/v2/devices', {
      body: await second.enrollment(challenge, own.app_id),
    });
    expect([late.status, late.body['code']]).toEqual([401, 'challenge_unknown']);
    const invented = createHash('sha256').update('made up').digest('base64url');
    const foreignOne = await call('POST', '/v2/devices', {
      body: await second.enrollment(invented, own.app_id),
    });
    expect(foreignOne.body['code']).toBe('challenge_unknown');
  });

  it('refuses an emulator and spends its challenge', async () => {
    const emulator = await newPhone(platform, 'emulator');
    const body = await emulator.enrollment(await newChallenge(), own.app_id);
    const refused = await call('POST', '/v2/devices', { body });
    expect([refused.status, refused.body['code']]).toEqual([403, 'attestation_refused']);
    expect(refused.body['reason_code']).toMatch(/^[a-z_]+$/);
    const again = await call('POST', '/v2/devices', { body });
    expect(again.body['code']).toBe('challenge_unknown');
  });

  it('refuses an attestation over another challenge', async () => {
    const device = await newPhone(platform);
    const other = await device.enrollment(await newChallenge(), own.app_id);
    const body = {
      ...(await device.enrollment(await newChallenge(), own.app_id)),
      apple: other['apple'],
      android: other['android'],
    };
    const refused = await call('POST', '/v2/devices', { body });
    expect([refused.status, refused.body['reason_code']]).toEqual([
      403,
      platform === 'ios' ? 'nonce_mismatch' : 'challenge_mismatch',
    ]);
  });

  it('refuses a signing key without a proof of possession', async () => {
    const device = await newPhone(platform);
    const other = await newPhone(platform);
    const challenge = await newChallenge();
    const { signing_key } = await other.enrollment(challenge, own.app_id);
    const body = { ...(await device.enrollment(challenge, own.app_id)), signing_key };
    const refused = await call('POST', '/v2/devices', { body });
    expect(refused.status).toBe(422);
    expect(refused.body['detail']).toEqual([
      expect.objectContaining({ loc: ['body', 'signing_proof'], type: 'signing_proof_invalid' }),
    ]);
  });

  it('returns 404 for an unknown app', async () => {
    const device = await newPhone(platform);
    const answer = await enroll(device, { app_id: 'no-such-app' });
    expect(answer.status).toBe(404);
  });

  it.each([
    ['nothing', {}],
    ['no attestation', { apple: undefined, android: undefined }],
    ['an odd challenge', { challenge: 'short' }],
    ['a signing key off its form', { signing_key: { kty: 'EC', crv: 'P-384', x: 'a', y: 'b' } }],
    ['a private key', { signing_key: { kty: 'oct', k: 'AAAA' } }],
    ['an unknown platform', { platform: 'desktop' }],
    ['a proof that is no text', { signing_proof: 7 }],
  ])('returns 422 for %s', async (what, changes) => {
    const device = await newPhone(platform);
    const full = await device.enrollment(await newChallenge(), own.app_id);
    const body = what === 'nothing' ? {} : { ...full, ...changes };
    const answer = await call('POST', '/v2/devices', { body });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toBeInstanceOf(Array);
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['empty of sense', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['changed in one bit', (bytes: Buffer) => flipped(bytes, bytes.length - 40)],
  ])('returns 403 for an attestation that is %s', async (_what, change) => {
    const device = await newPhone(platform);
    const full = await device.enrollment(await newChallenge(), own.app_id);
    const mangle = (text: string) => change(Buffer.from(text, 'base64url')).toString('base64url');
    const { apple, android } = full as {
      apple?: { key_id: string; attestation: string };
      android?: { chain: string[] };
    };
    const body = {
      ...full,
      ...(apple ? { apple: { ...apple, attestation: mangle(apple.attestation) } } : {}),
      ...(android ? { android: { chain: android.chain.map(mangle) } } : {}),
    };
    const answer = await call('POST', '/v2/devices', { body });
    expect([answer.status, answer.body['code']]).toEqual([403, 'attestation_refused']);
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

describe('devices.enroll', () => {
  it.each<[string, unknown]>([
    ['none', []],
    ['four', ['QUFB', 'QUFC', 'QUFD', 'QUFE']],
    ['one twice', ['QUFB', 'QUFB']],
    ['no text', [7]],
    ['line breaks', ['QUFB\nQUFB']],
    ['base64url', ['QUF-']],
    ['nothing', ['']],
    ['too much', ['A'.repeat(8_004)]],
  ])('rejects DeviceCheck tokens that are %s', async (_what, device_tokens) => {
    const device = await newPhone();
    const { apple, ...rest } = await device.enrollment(await newChallenge(), own.app_id);
    const body = { ...rest, apple: { ...Object(apple), device_tokens } };
    const answer = await call('POST', '/v2/devices', { body });
    const loc = ['body', 'apple', 'device_tokens'];
    expect([answer.status, answer.body['detail']]).toEqual([
      422,
      [expect.objectContaining({ loc: expect.arrayContaining(loc) })],
    ]);
  });

  it('enrolls one of eight concurrent requests for the same key', async () => {
    const device = await newPhone();
    const bodies = await Promise.all(
      Array.from(
        { length: 8 },
        async () => await device.enrollment(await newChallenge(), own.app_id),
      ),
    );
    const answers = await Promise.all(bodies.map((body) => call('POST', '/v2/devices', { body })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('refuses an API key as the credential of a person', async () => {
    const device = await newPhone();
    const answer = await enroll(device, {}, { token: own.api_key });
    expect([answer.status, answer.body['code']]).toEqual([401, 'credential_invalid']);
  });
});

describe('devices.list and devices.revoke', () => {
  it('show and revoke only the caller’s own devices', async () => {
    const device = await newPhone();
    await enroll(device, {}, { token: own.subject.session_token });
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}`;
    const stranger = await call('DELETE', path, { token: foreign.subject.session_token });
    expect(stranger.status).toBe(404);
    const unknown = await call('DELETE', `/v2/devices/dev_${'0'.repeat(26)}`, {
      token: own.subject.session_token,
    });
    expect(stranger.body['code']).toBe(unknown.body['code']);
    const revoked = await call('DELETE', path, { token: own.subject.session_token });
    expect([revoked.status, revoked.body['status']]).toEqual([200, 'revoked']);
    const again = await call('DELETE', path, { token: own.subject.session_token });
    expect(again.body['revoked_at']).toBe(revoked.body['revoked_at']);
    const listed = await call('GET', '/v2/devices', { token: own.subject.session_token });
    // The device's receipt may be refreshed between the two answers.
    const { device_id, status, revoked_at } = revoked.body;
    expect(listed.body['items']).toContainEqual(
      expect.objectContaining({ device_id, status, revoked_at }),
    );
  });

  it('require a session', async () => {
    expect((await call('GET', '/v2/devices')).status).toBe(401);
    expect((await call('GET', '/v2/devices', { token: own.api_key })).status).toBe(401);
    expect((await call('DELETE', `/v2/devices/dev_${'0'.repeat(26)}`)).status).toBe(401);
  });
});

describe('devices.enroll with an app that restricts its phones', () => {
  const appId = `choosy-${process.pid}`;
  const choose = async (method: string, choice: object) => {
    const path = `/v2/accounts/${own.account_id}/apps/${appId}`;
    const body = { ...(method === 'PUT' ? { name: 'Choosy', kind: 'sdk' } : {}), ...choice };
    const answer = await call(method, path, { token: own.api_key, body });
    expect(answer.body).toMatchObject(choice);
  };
  const outcome = ({ status, body }: Answer) => [status, body['code'], body['reason_code']];
  const enrolled = [201, undefined, undefined];

  it('refuses an iPhone by build category and version, also at renewal', async () => {
    const { apple } = simulatedApp;
    await choose('PUT', { apple: { ...apple, categories: ['testflight', 'app_store'] } });
    const device = await newPhone('ios');
    const refused = await enroll(device, { app_id: appId });
    expect(outcome(refused)).toEqual([403, 'attestation_refused', 'category_refused']);
    await choose('PATCH', {
      apple: { ...apple, categories: ['development'], category_required: true },
    });
    expect(outcome(await enroll(device, { app_id: appId }))).toEqual(enrolled);
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
    await choose('PATCH', { apple: { ...apple, bundle_versions: ['1'] } });
    expect((await signedCall(device, 'POST', path)).status).toBe(201);
    await choose('PATCH', { apple: { ...apple, bundle_versions: ['2', '3'] } });
    const version = 'bundle_version_refused';
    const other = await signedCall(device, 'POST', path);
    expect(outcome(other)).toEqual([403, 'attestation_refused', version]);
    const another = await enroll(await newPhone('ios'), { app_id: appId });
    expect(outcome(another)).toEqual([403, 'attestation_refused', version]);
  });

  it('refuses an Android phone by patch level and key security level', async () => {
    const { android } = simulatedApp;
    const code = 'attestation_refused';
    for (const [choice, expected] of [
      [{ patch_level_min: 209_912 }, [403, code, 'patch_level_low']],
      [{ security_level_min: 'strong_box' }, [403, code, 'security_level_low']],
      [{ security_level_min: 'trusted_environment', patch_level_min: 201_501 }, enrolled],
    ] as const) {
      await choose('PATCH', { android: { ...android, ...choice } });
      expect(outcome(await enroll(await newPhone('android'), { app_id: appId }))).toEqual(expected);
    }
  });
});
