import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calendarConfig, createCalendarProvider } from '../../../activities/calendar/config.ts';
import { createOpenIdCalendar } from '../../../activities/calendar/openid.ts';
import type { CalendarProvider } from '../../../activities/calendar/port.ts';
import type { ConsentAnswer } from '../../../activities/identity/sso/consent.ts';
import { createIssuers } from '../../../activities/identity/sso/issuers.ts';
import { Failure } from '../../../workflows/failures.ts';
import { decide, newPerson } from '../../support/people/calendar.ts';
import {
  calendarClient,
  startCalendarProvider,
  type CalendarStandIn,
} from '../../support/stand-ins/oauth/calendar-provider.ts';
import type { Fault } from '../../support/stand-ins/provider.ts';

const redirectUri = 'http://127.0.0.1:1/cal/oauth/callback';
const [verifier, nonce, state] = ['v', 'n', 's'].map((letter) => letter.repeat(43)) as [
  string,
  string,
  string,
];
let standIn: CalendarStandIn;
let calendar: CalendarProvider;

const newIssuers = () => createIssuers({ allowPrivate: true, clock: () => new Date() });
const options = () => ({
  ...calendarClient,
  issuer: standIn.url,
  redirectUri,
  scopes: { organizer: 'openid email events', routing: 'openid email events.readonly' },
});

beforeAll(async () => {
  standIn = await startCalendarProvider(redirectUri);
});
afterAll(() => standIn.stop());
beforeEach(() => {
  standIn.metadata = {};
  standIn.claims = {};
  calendar = createOpenIdCalendar(newIssuers(), options());
});

/** Follows the consent redirect as a browser, and returns the answer. */
async function answerOf(person = newPerson()): Promise<ConsentAnswer> {
  const url = await calendar.authorizeUrl({ state, nonce, verifier, intent: 'routing' });
  const query = new URLSearchParams((await decide(url, person)).split('?')[1]);
  return { code: query.get('code') ?? '', iss: query.get('iss'), verifier, nonce };
}

/** Returns the logged failure of an unavailable provider. */
async function awayBy(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await work().catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure) || !(error.cause instanceof Error)) throw error;
  expect(error.code).toBe('dependency_unavailable');
  expect(error.retryAfterSeconds).toBeGreaterThan(0);
  return error.cause.message;
}

describe('a calendar provider', () => {
  it('requests the scopes of its purpose', async () => {
    for (const intent of ['organizer', 'routing'] as const) {
      const url = await calendar.authorizeUrl({ state, nonce, verifier, intent });
      expect(new URL(url).searchParams.get('scope')).toBe(options().scopes[intent]);
      expect(url).not.toContain(verifier);
    }
  });

  it('gives a grant with single-use refresh tokens until it is revoked', async () => {
    const person = newPerson();
    const grant = await calendar.exchange(await answerOf(person));
    if ('denial' in grant || grant.refreshToken === null) throw new Error('no grant');
    expect(grant).toMatchObject({
      subject: `subject-of-${person}`,
      address: `${person}@calendar.example.test`,
    });
    const second = await calendar.refresh(grant.refreshToken);
    expect(second).not.toBe(grant.refreshToken);
    const third = await calendar.refresh(second ?? '');
    expect(third).toEqual(expect.any(String));
    await calendar.revoke(third ?? '');
    expect(await calendar.refresh(third ?? '')).toBeNull();
    // Revoking twice or an unknown token is no error.
    await calendar.revoke(third ?? '');
    await calendar.revoke('unknown');
    // A reused refresh token ends the grant.
    const again = await calendar.exchange(await answerOf(person));
    if ('denial' in again || again.refreshToken === null) throw new Error('no grant');
    const good = await calendar.refresh(again.refreshToken);
    expect(await calendar.refresh(again.refreshToken)).toBeNull();
    expect(await calendar.refresh(good ?? '')).toBeNull();
    expect(standIn.faults).toEqual([]);
  });

  it.each([
    ['another verifier', { verifier: 'x'.repeat(43) }, 'grant_refused'],
    ['another nonce', { nonce: 'x'.repeat(43) }, 'grant_refused'],
    ['another issuer', { iss: 'https://evil.example.com' }, 'issuer_mismatch'],
    ['an answer without an issuer', { iss: null }, 'issuer_mismatch'],
  ] as const)('refuses %s', async (_, change, denial) => {
    expect(await calendar.exchange({ ...(await answerOf()), ...change })).toEqual({ denial });
  });

  it('accepts an answer without an issuer when its metadata do not promise one', async () => {
    standIn.metadata = { authorization_response_iss_parameter_supported: undefined };
    const grant = await calendar.exchange({ ...(await answerOf()), iss: null });
    expect(grant).toHaveProperty('subject');
  });

  it.each([
    ['of another issuer', { iss: 'https://evil.example.com' }, 'grant_refused'],
    ['for another client', { aud: 'another' }, 'grant_refused'],
    ['that has expired', { exp: 1 }, 'grant_refused'],
    ['without a subject', { sub: undefined }, 'grant_refused'],
    ['with a too long subject', { sub: 'x'.repeat(256) }, 'grant_refused'],
    [
      'for two clients with another azp',
      { aud: [calendarClient.clientId, 'x'], azp: 'x' },
      'grant_refused',
    ],
    ['without an address', { email: undefined }, 'address_unverified'],
    ['with an invalid address', { email: 'x@y, z@y' }, 'address_unverified'],
    ['with email_verified as text', { email_verified: 'true' }, 'address_unverified'],
  ] as const)('refuses an ID token %s', async (_, claims, denial) => {
    standIn.claims = claims;
    expect(await calendar.exchange(await answerOf())).toEqual({ denial });
  });

  it.each<[string, Fault, RegExp]>([
    ['nothing', 'reset', /^calendar provider: /],
    ['bytes without end', 'trickle', /^calendar provider: /],
    ['a fault of its own', { status: 500 }, /^calendar provider: 500$/],
    ['that it is too much', { status: 429 }, /^calendar provider: 429$/],
    ['a redirect', { status: 307, headers: { Location: '/token' } }, /^calendar provider: 307$/],
    ['what is not JSON', { status: 200, headers: { 'Content-Type': 'text/html' }, body: {} }, /./],
    ['a client it does not know', { status: 400, body: { error: 'invalid_client' } }, /./],
  ])('is unavailable when it answers %s', async (_, fault, why) => {
    const answer = await answerOf();
    const grant = await calendar.exchange(await answerOf());
    if ('denial' in grant || grant.refreshToken === null) throw new Error('no grant');
    const token = grant.refreshToken;
    for (const work of [() => calendar.exchange(answer), () => calendar.refresh(token)]) {
      standIn.failNext(fault);
      const told = await awayBy(work);
      expect(told).toMatch(why);
      for (const secret of [token, answer.code, calendarClient.clientSecret]) {
        expect(told).not.toContain(secret);
      }
    }
  });

  it('is unavailable when its metadata are foreign or incomplete', async () => {
    const ask = () => calendar.authorizeUrl({ state, nonce, verifier, intent: 'routing' });
    standIn.metadata = { issuer: 'https://evil.example.com' };
    await awayBy(ask);
    calendar = createOpenIdCalendar(newIssuers(), options());
    standIn.metadata = { token_endpoint_auth_methods_supported: ['private_key_jwt'] };
    expect(await awayBy(ask)).toContain('no way to ask it with a secret');
  });

  it('forgets a token when it has no revocation endpoint', async () => {
    standIn.metadata = { revocation_endpoint: undefined };
    await calendar.revoke('a token');
  });
});

describe('the calendar settings', () => {
  const base = { BASE_URL: 'https://trust.example.test' };
  const parsed = (given: object) => ({ ...base, ...calendarConfig.parse(given) });

  it('are complete or absent', () => {
    expect(createCalendarProvider(parsed({}), newIssuers())).toBeNull();
    const whole = { CAL_ISSUER: 'https://a.example', CAL_CLIENT_ID: 'a', CAL_CLIENT_SECRET: 'b' };
    expect(createCalendarProvider(parsed(whole), newIssuers())?.issuer).toBe('https://a.example');
    const half = { CAL_ISSUER: 'https://a.example', CAL_CLIENT_ID: 'a' };
    expect(() => createCalendarProvider(parsed(half), newIssuers())).toThrow(
      'wrong settings: CAL_CLIENT_SECRET: required',
    );
  });

  it.each(['email', 'openid  email', 'openid "email"', ''])('must request openid: %j', (scope) => {
    expect(calendarConfig.safeParse({ CAL_ROUTING_SCOPE: scope }).success).toBe(false);
  });
});
