import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { PlatformAccountRow } from '../../../db/queries/platform-accounts.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import {
  answerAs,
  beginConsent,
  connectTenant,
  handOn,
  newTenant,
  signInAs,
} from '../../support/people/consents.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { newKey } from '../../support/people/samples.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import {
  adminRole,
  confBSettings,
  startConfBLogin,
  type ConfBLogin,
} from '../../support/stand-ins/oauth/conf-b-login.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let login: ConfBLogin;
let api: SecondApi;
/** An API with a clock eleven minutes ahead. */
let late: SecondApi;
let at: string;
let key: string;
beforeAll(async () => {
  login = await startConfBLogin();
  const settings = confBSettings(login);
  const ahead = { clock: () => new Date(Date.now() + 11 * 60_000) };
  [api, late] = await Promise.all([startSecondApi(settings), startSecondApi(settings, ahead)]);
  at = api.origin;
});
// Starts are rate-limited per caller, so each test has a key of its own.
beforeEach(async () => {
  key = await newKey(['ADMIN']);
  login.claims = {};
});
afterAll(async () => {
  expect(login.faults).toEqual([]);
  await Promise.all([api.stop(), late.stop(), login.stop(), db.end()]);
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const end = ({ status, body }: Answer): unknown[] => [status, body['status'], body['reason']];
const unknown = [404, 'not_found'];

async function rowOf(tenant: string): Promise<PlatformAccountRow | undefined> {
  const { rows } = await db.query<PlatformAccountRow>(
    `SELECT * FROM platform_accounts WHERE platform = 'conf-b' AND external_id = $1`,
    [tenant],
  );
  return rows[0];
}

const disconnect = (token: string, tenant: string): Promise<Answer> =>
  call('DELETE', `/v2/conf-b/consent/${tenant}`, { token, at });

describe('a consent to conference platform B', () => {
  it('connects the organization after admin consent and sign-in', async () => {
    const account = await newAccount(`conf-b-${process.pid}-${Date.now()}`);
    const token = account.api_key;
    const tenant = newTenant();
    const given = await answerAs(await beginConsent(token, at), tenant);
    expect(given).toMatchObject({ admin_consent: 'True', tenant });
    const asked = await handOn(token, at, given);
    expect(asked.body).toMatchObject({
      status: 'sign_in_required',
      reason: null,
      external_id: tenant,
    });
    expect(asked.headers.get('x-ignored-fields')).toBe('scope');
    // The consent answer alone proves nothing.
    expect(await rowOf(tenant)).toBeUndefined();
    const signedIn = await answerAs(String(asked.body['authorize_url']), tenant);
    const done = await handOn(token, at, signedIn);
    const nothing = { reason: null, authorize_url: null, expires_at: null };
    const connected = { ...nothing, status: 'connected', external_id: tenant };
    expect([done.status, done.body]).toEqual([200, connected]);
    const row = await rowOf(tenant);
    const actor = token.slice(0, 20);
    expect(row).toMatchObject({ account_id: account.account_id, connected_by: actor });
    // No scope is requested that is not used.
    const { searchParams } = new URL(String(asked.body['authorize_url']));
    expect(searchParams.get('scope')).toBe('openid profile');
    expect(await audited(account)).toMatchObject([
      { action: 'conf_b.connected', actor, object_id: tenant, details: {} },
    ]);
    // Each answer is accepted once, including the earlier one.
    for (const again of [given, signedIn]) {
      expect(outcome(await handOn(token, at, again))).toEqual(unknown);
    }
  });

  it('can be continued once, only by the credential that began it', async () => {
    const memberships = { [own.account_id]: ['ADMIN'] } as const;
    const session = await newEmailUser(db, memberships);
    const foreign = await newAccount(`conf-b-other-${process.pid}-${Date.now()}`);
    const answer = await answerAs(await beginConsent(key, at), newTenant());
    const others = [await newKey(['ADMIN']), session.token, foreign.api_key];
    for (const token of others) expect(outcome(await handOn(token, at, answer))).toEqual(unknown);
    // The failed attempts have ended nothing.
    const answers = await Promise.all([1, 2, 3].map(() => handOn(key, at, answer)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    const tenant = newTenant();
    // Another session of the same person could belong to a thief.
    const another = await emailSession(db, session.polyUserId, memberships);
    const begun = await answerAs(await beginConsent(session.token, at), tenant);
    expect(outcome(await handOn(another, at, begun))).toEqual(unknown);
    const asked = await handOn(session.token, at, begun);
    expect(asked.body).toMatchObject({ status: 'sign_in_required' });
    const signedIn = await answerAs(String(asked.body['authorize_url']), tenant);
    expect(outcome(await handOn(another, at, signedIn))).toEqual(unknown);
    expect(end(await handOn(session.token, at, signedIn))).toEqual([200, 'connected', null]);
    expect((await rowOf(tenant))?.connected_by).toBe(session.polyUserId);
  });

  it.each([
    ['consent_denied', { error: 'access_denied', admin_consent: null, tenant: null }],
    ['provider_error', { error: '<script>alert(1)</script>' }],
    ['provider_error', { admin_consent: 'False' }],
    ['provider_error', { admin_consent: null }],
    ['provider_error', { tenant: null }],
    ['provider_error', { tenant: '' }],
    ['provider_error', { tenant: '../organizations' }],
    ['provider_error', { tenant: 'organizations' }],
    // A code belongs to the sign-in, which has not started yet.
    ['provider_error', { code: 'made-up', admin_consent: null, tenant: null }],
  ])('is denied as %s (%j)', async (reason, changes) => {
    const answer = await answerAs(await beginConsent(key, at), newTenant());
    const changed = Object.entries({ ...answer, ...changes }).filter(([, value]) => value !== null);
    const denied = await handOn(key, at, Object.fromEntries(changed));
    expect(end(denied)).toEqual([200, 'denied', reason]);
    expect(denied.text).not.toContain('script');
    expect(outcome(await handOn(key, at, answer))).toEqual(unknown);
  });

  it('can be refused at the platform in either step', async () => {
    const refused = await answerAs(await beginConsent(key, at), 'nobody');
    expect(end(await handOn(key, at, refused))).toEqual([200, 'denied', 'consent_denied']);
    const given = await answerAs(await beginConsent(key, at), newTenant());
    const { body } = await handOn(key, at, given);
    const left = await answerAs(String(body['authorize_url']), 'nobody');
    expect(end(await handOn(key, at, left))).toEqual([200, 'denied', 'consent_denied']);
  });

  it('cannot connect another organization by a changed tenant', async () => {
    const [victim, attacker] = [newTenant(), newTenant()];
    await answerAs(await beginConsent(key, at), victim);
    const answer = await answerAs(await beginConsent(key, at), attacker);
    const { body } = await handOn(key, at, { ...answer, tenant: victim });
    expect(body).toMatchObject({ status: 'sign_in_required', external_id: victim });
    // The sign-in must be of that organization.
    const elsewhere = await answerAs(String(body['authorize_url']), attacker);
    expect(end(await handOn(key, at, elsewhere))).toEqual([200, 'denied', 'provider_error']);
    // A code of another sign-in here is refused too.
    const own = await signInAs(key, at, attacker);
    const asked = await handOn(key, at, {
      ...(await answerAs(await beginConsent(key, at), attacker)),
      tenant: victim,
    });
    const { searchParams } = new URL(String(asked.body['authorize_url']));
    const mixed = { ...own, state: searchParams.get('state') };
    expect(end(await handOn(key, at, mixed))).toEqual([200, 'denied', 'grant_refused']);
    expect(await rowOf(victim)).toBeUndefined();
  });

  it.each([
    ['tenant_mismatch', { tid: '00000000-0000-4000-8000-000000000000' }],
    ['tenant_mismatch', { tid: undefined }],
    ['administrator_required', { wids: [] }],
    ['administrator_required', { wids: undefined }],
    ['administrator_required', { wids: adminRole }],
    ['grant_refused', { nonce: 'n'.repeat(43) }],
    ['grant_refused', { aud: 'another-client' }],
    ['grant_refused', { iss: 'https://elsewhere.example.test/v2.0' }],
    ['grant_refused', { exp: 1 }],
  ])('is denied as %s for an ID token with %j', async (reason, claims) => {
    const tenant = newTenant();
    const answer = await signInAs(key, at, tenant);
    login.claims = claims;
    expect(end(await handOn(key, at, answer))).toEqual([200, 'denied', reason]);
    expect(await rowOf(tenant)).toBeUndefined();
  });

  it('is denied if the issuer of the answer is wrong or missing', async () => {
    const forged = { ...(await signInAs(key, at, newTenant())), iss: 'https://evil.example.com' };
    expect(end(await handOn(key, at, forged))).toEqual([200, 'denied', 'issuer_mismatch']);
    const { state } = await signInAs(key, at, newTenant());
    expect(end(await handOn(key, at, { state }))).toEqual([200, 'denied', 'provider_error']);
  });

  it('returns `expired` after its time is over', async () => {
    const answer = await answerAs(await beginConsent(key, at), newTenant());
    expect(end(await handOn(key, late.origin, answer))).toEqual([200, 'expired', null]);
    expect(outcome(await handOn(key, at, answer))).toEqual(unknown);
  });

  it('returns 503 while the platform is unavailable, and can be begun again', async () => {
    const tenant = newTenant();
    const answer = await signInAs(key, at, tenant);
    login.failNext({ status: 503 });
    expect(outcome(await handOn(key, at, answer))).toEqual([503, 'dependency_unavailable']);
    expect(outcome(await handOn(key, at, answer))).toEqual(unknown);
    const first = await answerAs(await beginConsent(key, at), newTenant());
    login.failNext({ status: 503 });
    expect(outcome(await handOn(key, at, first))).toEqual([503, 'dependency_unavailable']);
    expect(end(await connectTenant(key, at, tenant))).toEqual([200, 'connected', null]);
  });

  it('checks the caller’s permissions again', async () => {
    const tenant = newTenant();
    const { token, polyUserId } = await newEmailUser(db, { [own.account_id]: ['ADMIN'] });
    const answer = await signInAs(token, at, tenant);
    // A cached session does not suffice for a lasting change.
    const loss = `UPDATE memberships SET roles = '{MEMBER}' WHERE poly_user_id = $1`;
    expect((await db.query(loss, [polyUserId])).rowCount).toBe(1);
    expect(outcome(await handOn(token, at, answer))).toEqual([401, 'credential_invalid']);
    expect(await rowOf(tenant)).toBeUndefined();
  });
});

describe('an organization on conference platform B', () => {
  it('belongs to one account until that account disconnects it', async () => {
    const other: Seed = await newAccount(`conf-b-next-${process.pid}-${Date.now()}`);
    const tenant = newTenant();
    expect(end(await connectTenant(key, at, tenant))).toEqual([200, 'connected', null]);
    const first = await rowOf(tenant);
    expect(end(await connectTenant(other.api_key, at, tenant))).toEqual([
      200,
      'denied',
      'connected_elsewhere',
    ]);
    expect(outcome(await disconnect(other.api_key, tenant))).toEqual(unknown);
    expect(await rowOf(tenant)).toEqual(first);
    const again = await newKey(['ADMIN']);
    expect(end(await connectTenant(again, at, tenant))).toEqual([200, 'connected', null]);
    expect(await rowOf(tenant)).toMatchObject({
      created_at: first?.created_at,
      connected_by: again.slice(0, 20),
    });
    const ended = await disconnect(key, tenant.toUpperCase());
    expect([ended.status, ended.body]).toEqual([200, { external_id: tenant, deleted: true }]);
    expect(await rowOf(tenant)).toBeUndefined();
    for (const gone of [tenant, 'no-tenant']) {
      expect(outcome(await disconnect(key, gone))).toEqual(unknown);
    }
    expect(end(await connectTenant(other.api_key, at, tenant))).toEqual([200, 'connected', null]);
    expect(outcome(await disconnect(other.api_key, tenant))).toEqual([200, undefined]);
    expect((await audited(other)).map(({ action, object_id: id }) => [action, id])).toEqual([
      ['conf_b.disconnected', tenant],
      ['conf_b.connected', tenant],
    ]);
  });

  it('can be connected only by an ADMIN', async () => {
    const member = await newKey(['MEMBER']);
    const answers = [
      await call('POST', '/v2/conf-b/consent', { token: member, at }),
      await handOn(member, at, { state: 'x' }),
      await disconnect(member, newTenant()),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [403, 'role_required']));
  });

  it.each([
    [422, { state: 1 }],
    [422, { state: 'x'.repeat(513) }],
    [422, { state: 'x', code: ['x'] }],
    [422, { state: 'x', code: 'x'.repeat(4097) }],
    [422, []],
    [404, {}],
    [404, { state: '' }],
    [404, { state: 'x'.repeat(43), code: 'x' }],
    [404, { error: 'access_denied' }],
  ])('returns %i for %j', async (status, body) => {
    expect((await handOn(key, at, body)).status).toBe(status);
  });

  it('returns 409 if the platform is not configured', async () => {
    const answers = [
      await call('POST', '/v2/conf-b/consent', { token: key }),
      await call('POST', '/v2/conf-b/redirect', { token: key, body: { state: 'x' } }),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [409, 'platform_not_configured']));
  });
});
