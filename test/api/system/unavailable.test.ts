import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPhone, enroll, newChallenge, newPhone, signedCall } from '../../support/checks/phone.ts';
import { sessionInReview } from '../../support/checks/unsure.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  newNumber,
  type Answer,
} from '../../support/http/client.ts';
import { contractOf } from '../../support/http/routes.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';
import { startTwilio, type TwilioStandIn } from '../../support/stand-ins/phones/twilio.ts';

const { own } = ownPlatform();
const account = {
  accountSid: `AC${'0'.repeat(32)}`,
  authToken: 'token-of-the-stand-in',
  senders: ['+15005550006'],
  unsubscribed: ['+4915112399999'],
};
const smsSettings = (url: string): Record<string, string> => ({
  TWILIO_ACCOUNT_SID: account.accountSid,
  TWILIO_AUTH_TOKEN: account.authToken,
  TWILIO_FROM: '+15005550006',
  TWILIO_BASE_URL: url,
});

let api: SecondApi;
let refusing: SecondApi;
/** An API without its database. */
let bare: SecondApi;
let twilio: TwilioStandIn;
let client: Client;

beforeAll(async () => {
  twilio = await startTwilio(account);
  client = await connectClient();
  // Nothing listens on port 9 (discard) of this machine.
  api = await startSecondApi({
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    ANDROID_STATUS_LIST_URL: 'file:///nowhere/status.json',
    TRUSTED_PROXIES: 'loopback',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_BUCKET: 'nowhere',
    S3_ACCESS_KEY_ID: 'nobody',
    S3_SECRET_ACCESS_KEY: 'nothing',
    ...smsSettings('http://127.0.0.1:9'),
  });
  bare = await startSecondApi({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing' });
  refusing = await startSecondApi(smsSettings(twilio.url));
});
afterAll(async () => {
  await Promise.all([api.stop(), refusing.stop(), bare.stop()]);
  await twilio.stop();
  await client.connection.close();
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const away = [503, 'dependency_unavailable'];

describe.concurrent('without the Temporal server', () => {
  const steps: [string, unknown][] = [
    ['open', {}],
    ['cancel', {}],
  ];
  it.each(steps)('a check answers 503 to %s and does not change', async (name, body) => {
    const session = await beginSession(await newLink());
    const path = `/v2/trust-checks/${session.id}/${name}`;
    const refused = await call('POST', path, { at: api.origin, token: session.token, body });
    expect(outcome(refused)).toEqual(away);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await session.get()).body['status']).toBe('created');
  });

  it('pair and consent answer 503, while a proof is stored to be judged later', async () => {
    const opened = await beginSession(await newLink());
    await opened.step('open');
    const post = (name: string, body: unknown, at = api.origin) =>
      call('POST', `/v2/trust-checks/${opened.id}/${name}`, { at, token: opened.token, body });
    expect(outcome(await post('pair', {}))).toEqual(away);
    await opened.step('pair');
    const consent = { accepted: true, tos_version: '1' };
    expect(outcome(await post('consent', consent))).toEqual(away);
    await opened.step('consent', consent);
    const code = { code: '000000' };
    expect(outcome(await post('proofs/phone', code, bare.origin))).toEqual(away);
    const kept = await post('proofs/phone', code);
    expect([kept.status, kept.body['status']]).toEqual([202, 'processing']);
  });

  it('a review and a later retry answer 503', async () => {
    const session = await sessionInReview(client);
    const path = `/v2/trust-checks/${session.id}`;
    const review = { token: own.api_key, body: { decision: 'retry', note: 'The picture is dark' } };
    const refused = await call('POST', `${path}/review`, { ...review, at: api.origin });
    expect(outcome(refused)).toEqual(away);
    expect((await session.get()).body['status']).toBe('in_review');
    await call('POST', `${path}/review`, review);
    const retry = { at: api.origin, token: session.token, body: {} };
    expect(outcome(await call('POST', `${path}/retry`, retry))).toEqual(away);
    expect((await session.get()).body['status']).toBe('requires_retry');
  });

  it('an illegal step is still refused with 409', async () => {
    const session = await beginSession(await newLink());
    const retry = { at: api.origin, token: session.token, body: {} };
    const refused = await call('POST', `/v2/trust-checks/${session.id}/retry`, retry);
    expect(outcome(refused)).toEqual([409, 'invalid_state']);
  });

  it('a begun session and an invitation are kept for a retry with the same key', async () => {
    const link = await newLink();
    const key = randomUUID();
    // Without a credential a key also belongs to the caller's address.
    const headers = { 'idempotency-key': key, 'x-forwarded-for': '203.0.113.20' };
    const body = { link_uuid: link, client: 'web' };
    const refused = await call('POST', '/v2/trust-checks', { at: api.origin, body, headers });
    expect(outcome(refused)).toEqual(away);
    const continued = await call('POST', '/v2/trust-checks', { at: api.origin, body, headers });
    const list = await call('GET', `/v2/trust-checks?link_uuid=${link}`, { token: own.api_key });
    expect(list.body['total']).toBe(1);
    // A worker starts what the API could not. After that the retry gets the session.
    if (continued.status === 503) expect(outcome(continued)).toEqual(away);
    else expect(list.text).toContain(`"${String(continued.body['link_session_id'])}"`);
    const mail = await call('POST', `/v2/link/send/${own.app_id}`, {
      at: api.origin,
      token: own.api_key,
      body: { send_to_email: 'away@example.test' },
    });
    expect(outcome(mail)).toEqual(away);
  });

  it.each([
    (uuid: string) => `/v2/link/${own.app_id}/${uuid}`,
    (uuid: string) => `/v2/${own.app_id}/${uuid}`,
    (uuid: string) => `/v2/${uuid}`,
  ])('a link leased by a session cannot be deleted (alias %#)', async (place) => {
    const uuid = await newLink({ single_use: true });
    await beginSession(uuid);
    const options = { at: api.origin, token: own.api_key };
    expect(outcome(await call('DELETE', place(uuid), options))).toEqual(away);
    expect((await call('GET', `/v2/${uuid}?format_type=J`)).body['status']).toBe('reserved');
  });

  it.each([(uuid: string) => `/v2/${own.app_id}/${uuid}`, (uuid: string) => `/v2/${uuid}`])(
    'consent in a link completion can be repeated (alias %#)',
    async (place) => {
      const device = await newPhone('android');
      await enroll(device);
      const uuid = await newLink();
      const session = await asPhone(device, () => beginSession(uuid, 'mobile'));
      const path = `/v2/trust-checks/${session.id}/pair`;
      const paired = await signedCall(device, 'POST', path, { token: session.token, body: {} });
      expect(paired.status).toBe(200);
      const body = { consent: { accepted: true, tos_version: '1', claims: [] } };
      const refused = await signedCall(device, 'POST', place(uuid), { at: api.origin, body });
      expect(outcome(refused)).toEqual(away);
      const done = await signedCall(device, 'POST', place(uuid), { body });
      expect(done.body['status']).toBe('collecting');
    },
  );

  it('an enrollment answers 503 only after all other checks', async () => {
    const device = await newPhone('ios');
    const body = await device.enrollment(await newChallenge(), own.app_id);
    const enroll = (at?: string) => call('POST', '/v2/devices', { body, ...(at ? { at } : {}) });
    expect(outcome(await enroll(api.origin))).toEqual(away);
    expect((await enroll()).status).toBe(201);
    expect(outcome(await enroll(api.origin))).toEqual([401, 'challenge_unknown']);
  });

  it('a device with a running check can be revoked by a retry, which fails the check', async () => {
    const token = own.member.session_token;
    const device = await newPhone('android');
    await enroll(device, {}, { token });
    const uuid = await newLink();
    const session = await asPhone(device, () => beginSession(uuid, 'mobile'));
    const path = `/v2/trust-checks/${session.id}/pair`;
    const paired = await signedCall(device, 'POST', path, { token: session.token, body: {} });
    expect(paired.status).toBe(200);
    const place = `/v2/devices/${device.enrolled?.deviceId ?? ''}`;
    expect(outcome(await call('DELETE', place, { at: api.origin, token }))).toEqual(away);
    const revoked = await call('DELETE', place, { token });
    expect(revoked.body['status']).toBe('revoked');
    expect((await session.get()).body).toMatchObject({ reason_code: 'attestation_failed' });
  });
});

describe.concurrent('without the database', () => {
  const unknownLink = `/v2/${randomUUID()}`;
  const calls: [string, string, unknown][] = [
    ['GET', unknownLink, undefined],
    ['GET', `/v2/raw/some-link`, undefined],
    ['GET', '/v2/events', undefined],
    ['PUT', `/v2/${own.app_id}`, {}],
    ['POST', '/v2/trust-checks', { link_uuid: 'some-link', client: 'web' }],
    ['POST', '/v2/devices/challenge', undefined],
    ['POST', '/portal_login', { raw_jwt: 'some.bundle.x' }],
    ['POST', '/api/v1/auth/token', { grant_type: 'jwt_exchange', jwt: 'some.bundle.x' }],
  ];
  it.each(calls)('%s %s answers 503 with Retry-After', async (method, path, body) => {
    const isPublic = method === 'POST' || path === unknownLink;
    const token = isPublic ? {} : { token: own.api_key };
    const refused = await call(method, path, { at: bare.origin, body, ...token });
    expect(outcome(refused)).toEqual(away);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.text).not.toMatch(/ECONN|127\.0\.0\.1:9\b|postgres/i);
  });

  it('health and documents still answer', async () => {
    for (const path of ['/livez', '/docs', '/.well-known/jwks.json']) {
      expect((await call('GET', path, { at: bare.origin })).status).toBe(200);
    }
    expect((await call('GET', '/readyz', { at: bare.origin })).status).toBe(503);
  });
});

describe.concurrent('without a provider', () => {
  it.each(['phone/code', 'hand-over'])('%s sends no message and answers 503', async (name) => {
    const session = await collecting(await newLink());
    const sent = await call('POST', `/v2/trust-checks/${session.id}/${name}`, {
      at: api.origin,
      token: session.token,
      body: { phone_number: newNumber() },
    });
    expect(outcome(sent)).toEqual(away);
  });

  it('the upload of evidence answers 503', async () => {
    const session = await collecting(await newLink());
    const uploaded = await call('PUT', `/v2/trust-checks/${session.id}/evidence/sod`, {
      at: api.origin,
      token: session.token,
      raw: Buffer.from([0x30, 0]),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(outcome(uploaded)).toEqual(away);
  });

  it('the enrollment of an Android phone without the status list answers 503', async () => {
    const device = await newPhone('android');
    const body = await device.enrollment(await newChallenge(), own.app_id);
    const refused = await call('POST', '/v2/devices', { at: api.origin, body });
    expect(outcome(refused)).toEqual(away);
  });
});

describe.concurrent('a number refused by the provider', () => {
  it.each(['phone/code', 'hand-over'])('is rejected by %s with 422', async (name) => {
    const session = await collecting(await newLink());
    const sent = await call('POST', `/v2/trust-checks/${session.id}/${name}`, {
      at: refusing.origin,
      token: session.token,
      body: { phone_number: '+4915112399999' },
    });
    expect(sent.status).toBe(422);
    expect(sent.text).toContain('sms_rejected');
  });
});

describe.concurrent('limits by address', () => {
  it.each([
    ['/v2/trust-checks', { link_uuid: 'none', client: 'web' }, '203.0.113.7'],
    ['/v2/devices/challenge', undefined, '203.0.113.8'],
    ['/v2/devices', {}, '203.0.113.9'],
    [`/v2/devices/dev_${'0'.repeat(26)}/certificate`, undefined, '203.0.113.10'],
  ])('apply to %s with Retry-After', async (path, body, address) => {
    const points = contractOf('POST', path)?.limit?.points ?? 0;
    const options = { at: api.origin, body, headers: { 'x-forwarded-for': address } };
    const begun = Date.now();
    const answers: Answer[] = [];
    while (!answers.some(({ status }) => status === 429) && answers.length < 3 * points) {
      const left = Math.min(20, points - (answers.length % points) || 1);
      const batch = Array.from({ length: left }, () => call('POST', path, options));
      answers.push(...(await Promise.all(batch)));
    }
    const taken = answers.filter(({ status }) => status !== 429).length;
    // On a busy machine the window may end during the calls and admits as many again. Calls with
    // 503 may not have been counted.
    const uncounted = answers.filter(({ status }) => status === 503).length;
    if (Date.now() - begun < 30_000) expect(taken - uncounted).toBeLessThanOrEqual(points);
    expect(taken).toBeGreaterThanOrEqual(points);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body['code']).toBe('rate_limited');
    const told = Object.fromEntries(refused?.headers ?? []);
    expect(told).toMatchObject({
      'ratelimit-limit': String(points),
      'ratelimit-remaining': '0',
      'ratelimit-reset': told['retry-after'],
    });
    expect(Number(told['retry-after'])).toBeGreaterThan(0);
  });
});
