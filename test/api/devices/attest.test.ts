import { describe, expect, it } from 'vitest';
import type { Device } from '../../../simulator/device/device.ts';
import {
  asPhone,
  enrolledPhone,
  freshNonce,
  newPhone,
  pairedSession,
  signedCall,
  enroll,
} from '../../support/checks/phone.ts';
import { beginSession, call, newLink, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();

describe.each(['ios', 'android'] as const)('the attest header of an %s phone', (platform) => {
  const renew = (device: { enrolled: { deviceId: string } | null }): string =>
    `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;

  it('is accepted once, and every answer carries the next nonce', async () => {
    const device = await enrolledPhone(platform);
    const nonce = await freshNonce(device);
    const good = await signedCall(device, 'POST', renew(device), { nonce });
    expect(good.status).toBe(201);
    const next = good.headers.get('attest-nonce') ?? '';
    expect(next).not.toBe(nonce);
    // The last character has two unused bits: the next character encodes the same bytes.
    const last = String.fromCharCode(nonce.charCodeAt(nonce.length - 1) + 1);
    for (const again of [nonce, nonce.slice(0, -1) + last]) {
      const replayed = await signedCall(device, 'POST', renew(device), { nonce: again });
      expect([replayed.status, replayed.body['code']]).toEqual([401, 'attest_nonce_required']);
    }
    expect((await signedCall(device, 'POST', renew(device), { nonce: next })).status).toBe(201);
  });

  it('with one nonce is accepted for one of ten concurrent callers', async () => {
    const device = await enrolledPhone(platform);
    const nonce = await freshNonce(device);
    const attest = await device.attest({ method: 'POST', path: renew(device), body: '' }, nonce);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', renew(device), { headers: { attest } })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array(9).fill(401),
    ]);
  });

  it.each([
    ['another method', { method: 'PUT' }, 'request_mismatch'],
    ['another path', { path: '/v2/devices/other/certificate' }, 'request_mismatch'],
    ['another query', { path: '/v2/devices/x/certificate?a=1' }, 'request_mismatch'],
    ['another body', { body: '{}' }, 'body_mismatch'],
  ])('is bound to its request and refused with %s', async (_what, signed, code) => {
    const device = await enrolledPhone(platform);
    const answer = await signedCall(device, 'POST', renew(device), { signed });
    expect([answer.status, answer.body['code']]).toEqual([403, code]);
    expect(answer.headers.get('attest-nonce')).toBeTruthy();
  });

  it('gets the same refusal for an unknown device and for another phone’s key', async () => {
    const device = await enrolledPhone(platform);
    const other = await newPhone(platform);
    const nonce = await freshNonce(device);
    other.enrolled = device.enrolled;
    const forged = await signedCall(other, 'POST', renew(device), { nonce });
    other.enrolled = { ...other.enrolled, deviceId: `dev_${'0'.repeat(26)}` } as never;
    const unknown = await signedCall(other, 'POST', renew(device), {
      nonce: forged.headers.get('attest-nonce') ?? '',
    });
    expect([forged.status, forged.body['code']]).toEqual([403, 'signature_invalid']);
    const plain = ({ body }: typeof forged) => ({ ...body, request_id: null });
    expect(plain(unknown)).toEqual(plain(forged));
  });

  it('is refused after the device was revoked', async () => {
    const device = await newPhone(platform);
    await enroll(device, {}, { token: own.member.session_token });
    const revoked = await call('DELETE', `/v2/devices/${device.enrolled?.deviceId ?? ''}`, {
      token: own.member.session_token,
    });
    expect(revoked.status).toBe(200);
    const answer = await signedCall(device, 'POST', renew(device));
    expect([answer.status, answer.body['code']]).toEqual([403, 'device_revoked']);
  });

  it('can renew only its own device', async () => {
    const device = await enrolledPhone(platform);
    const other = await enrolledPhone(platform);
    const path = renew(other);
    const answer = await signedCall(device, 'POST', path);
    expect(answer.status).toBe(404);
  });
});

describe('the attest header', () => {
  const path = `/v2/devices/dev_${'0'.repeat(26)}/certificate`;
  const json = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const good = {
    v: 1,
    platform: 'ios',
    device_id: 'dev_1',
    assertion: 'AAAA',
    client_data: json({ nonce: 'x', method: 'POST', path, body_sha256: '0'.repeat(64), iat: 1 }),
  };

  it('is required by the operations that declare it', async () => {
    const answer = await call('POST', path);
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toEqual([expect.objectContaining({ loc: ['header', 'attest'] })]);
  });

  const deep = `{"v":${'['.repeat(200)}${']'.repeat(200)}}`;
  it.each([
    ['no base64url', '***', 'the header: not base64url'],
    ['no JSON', json('no'), 'the header: not JSON'],
    ['an array', json([]), 'the header: not an object'],
    ['another version', json({ ...good, v: 2 }), 'v: not 1'],
    ['of another platform', json({ ...good, platform: 'x' }), 'platform: not ios or android'],
    ['a member twice', json('{"v":1,"v":1}'), 'the header: not JSON'],
    ['no assertion', json({ ...good, assertion: undefined }), 'assertion: missing'],
    ['an odd assertion', json({ ...good, assertion: '*' }), 'assertion: of another form'],
    [
      'client data that are no JSON',
      json({ ...good, client_data: 'AAAA' }),
      'client_data: not JSON',
    ],
    [
      'client data without a hash',
      json({ ...good, client_data: json({ nonce: 'x', method: 'POST', path, iat: 1 }) }),
      'client_data.body_sha256: missing',
    ],
    ['deep nesting', json(deep), 'the header: not JSON'],
  ])('is reported as malformed with the fault: %s', async (_what, attest, msg) => {
    const answer = await call('POST', path, { headers: { attest } });
    expect(answer.status).toBe(422);
    expect(answer.body['detail']).toEqual([
      { loc: ['header', 'attest'], type: 'attest_malformed', msg },
    ]);
  });

  it('over 16 KiB is refused before it is parsed', async () => {
    const answer = await call('POST', path, { headers: { attest: 'A'.repeat(16_500) } });
    expect([422, 431]).toContain(answer.status);
  });

  it('with an older counter of the same iPhone is refused', async () => {
    const device = await enrolledPhone();
    const own = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
    const [first, second] = [await freshNonce(device), await freshNonce(device)];
    const early = await device.attest({ method: 'POST', path: own, body: '' }, first);
    const late = await device.attest({ method: 'POST', path: own, body: '' }, second);
    expect((await call('POST', own, { headers: { attest: late } })).status).toBe(201);
    const refused = await call('POST', own, { headers: { attest: early } });
    expect([refused.status, refused.body['code']]).toEqual([403, 'counter_replay']);
  });
});

describe('a paired phone', () => {
  it('binds the session: a second phone and unsigned proofs are refused', async () => {
    const device = await enrolledPhone();
    const session = await pairedSession(device, await newLink({ required_proofs: ['device'] }));
    const other = await enrolledPhone('android');
    const path = `/v2/trust-checks/${session.id}/pair`;
    const second = await signedCall(other, 'POST', path, { token: session.token, body: {} });
    expect([second.status, second.body['code']]).toEqual([401, 'invalid_dpop_proof']);
    const unsigned = await session.step('proofs/device', {});
    expect([unsigned.status, unsigned.body['code']]).toEqual([403, 'device_not_paired']);
    const stranger = await signedCall(
      other,
      'POST',
      `/v2/trust-checks/${session.id}/proofs/device`,
      {
        token: session.token,
        body: {},
      },
    );
    expect(stranger.body['code']).toBe('device_not_paired');
    const proven = await signedCall(
      device,
      'POST',
      `/v2/trust-checks/${session.id}/proofs/device`,
      {
        token: session.token,
        body: {},
      },
    );
    expect(proven.body).toMatchObject({ status: 'passed', provider: 'app_attest' });
    expect((await session.get()).body).toMatchObject({
      status: 'passed',
      poly_user_id: device.enrolled?.polyUserId,
    });
  });

  it('is the only one to pair even if another phone joined as well', async () => {
    const [device, other] = [await enrolledPhone(), await enrolledPhone('android')];
    const link_uuid = await newLink({ required_proofs: ['device'] });
    const join = (phone: Device, more = {}) =>
      asPhone(phone, () =>
        call('POST', '/v2/trust-checks', { body: { link_uuid, client: 'mobile', ...more } }),
      );
    const first = await join(device);
    const [, pair_token] = String(first.body['pair_url']).split('#p=');
    const second = await join(other, { pair_token });
    const pair = (phone: Device, { body }: Answer) =>
      signedCall(phone, 'POST', `/v2/trust-checks/${String(body['link_session_id'])}/pair`, {
        token: String(body['check_token']),
        body: {},
      });
    expect((await pair(device, first)).status).toBe(200);
    const late = await pair(other, second);
    expect([late.status, late.body['code']]).toEqual([409, 'already_paired']);
  });

  it('fails its running checks when it is revoked', async () => {
    const device = await newPhone();
    await enroll(device, {}, { token: own.subject.session_token });
    const link = await newLink({ required_proofs: ['device', 'phone'] });
    const session = await pairedSession(device, link);
    await call('DELETE', `/v2/devices/${device.enrolled?.deviceId ?? ''}`, {
      token: own.subject.session_token,
    });
    expect((await session.get()).body).toMatchObject({
      status: 'failed',
      reason_code: 'attestation_failed',
    });
  });

  it('is required if a proof needs a device, and a web page cannot replace it', async () => {
    const link = await newLink({ required_proofs: ['device'] });
    const page = await (await beginSession(link, 'web')).step('pair');
    expect([page.status, page.body['code']]).toEqual([409, 'device_required']);
    const unsigned = await (await beginSession(link, 'mobile')).step('pair');
    expect([unsigned.status, unsigned.body['code']]).toEqual([409, 'device_required']);
  });
});
