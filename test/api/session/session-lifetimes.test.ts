import { afterAll, beforeAll, expect, it } from 'vitest';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { emailSession } from '../../support/people/email-users.ts';
import { newAddress } from '../../support/people/mailbox.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { closeRaceDb, mailedToken, raceDb } from '../../support/races/ground.ts';

let api: SecondApi;
beforeAll(async () => {
  api = await startSecondApi({ SESSION_CERT_SECONDS: '90', SESSION_EMAIL_SECONDS: '240' });
});
afterAll(async () => {
  await Promise.all([api.stop(), closeRaceDb()]);
});

const secondsLeft = ({ body }: Answer): number =>
  Math.ceil((Date.parse(String(body['expires_at'])) - Date.now()) / 1000);

it('a session lives as long as configured for its assurance, and step-up does not extend it', async () => {
  const phone = await enrolledPhone();
  const bundle = async () => ({ raw_jwt: await goodBundle(phone) });
  const at = api.origin;
  const cert = await call('POST', '/portal_login', { at, body: await bundle() });
  expect(cert.status).toBe(200);
  expect(secondsLeft(cert)).toBeLessThanOrEqual(90);
  expect(secondsLeft(cert)).toBeGreaterThan(30);
  const { token, cookie } = await mailedToken(newAddress(), 'login');
  const options = { at, body: { token }, headers: { cookie } };
  const email = await call('POST', '/v2/email/login/verify', options);
  expect(email.status).toBe(200);
  expect(secondsLeft(email)).toBeLessThanOrEqual(240);
  expect(secondsLeft(email)).toBeGreaterThan(90);
  const by = String(email.body['session_token']);
  const path = '/v2/session/step_up';
  const raised = await call('POST', path, { at, token: by, body: await bundle() });
  expect([raised.status, raised.body['auth_method']]).toEqual([200, 'cert']);
  expect(secondsLeft(raised)).toBeLessThanOrEqual(90);
});

it('a stepped-up session keeps its expiry to the second', async () => {
  const device = await enrolledPhone();
  const id = device.enrolled?.polyUserId ?? '';
  const notAfter = new Date((Math.floor(Date.now() / 1000) + 600) * 1000);
  const token = await emailSession(raceDb(), id, {}, { notAfter });
  const body = { raw_jwt: await goodBundle(device) };
  const raised = await call('POST', '/v2/session/step_up', { token, body });
  expect([raised.status, raised.body['expires_at']]).toEqual([200, notAfter.toISOString()]);
  const [, claims = ''] = String(raised.body['session_token']).split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    exp: notAfter.getTime() / 1000,
    acr: 'urn:trustcheck:assurance:cert',
    amr: ['hwk', 'pop'],
  });
});
