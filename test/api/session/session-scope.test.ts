import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import {
  call,
  newLink,
  passedSession,
  withAffidavit,
  type Answer,
} from '../../support/http/client.ts';
import {
  changedBundle,
  goodBundle,
  portalLogin,
  type Members,
} from '../../support/keys/bundles.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const tokenOf = ({ body }: Answer): string => String(body['session_token']);
const idOf = (device: Device): string => device.enrolled?.polyUserId ?? '';
const accountsOf = ({ body }: Answer): unknown[] =>
  (body['accounts'] as Members[]).map(({ account_id }) => account_id);
const switchTo = (token: string, account_id: number): Promise<Answer> =>
  call('POST', '/v2/session/switch_account', { token, body: { account_id } });
const stepUp = (token: string, raw_jwt: string, more: Members = {}): Promise<Answer> =>
  call('POST', '/v2/session/step_up', { token, body: { raw_jwt, ...more } });
const refused = [401, 'membership_required'];
const notWhole = [403, 'own_sign_in_required'];

async function phoneOf(memberships: Record<number, Role[]>): Promise<Device> {
  const device = await enrolledPhone();
  for (const [account, roles] of Object.entries(memberships)) {
    await addMembership(db, [idOf(device), Number(account), roles, new Date()]);
  }
  return device;
}
const inBoth = (): Promise<Device> =>
  phoneOf({ [own.account_id]: ['ADMIN'], [foreign.account_id]: ['ADMIN'] });
const app = `${baseUrl}/apps/${own.app_id}`;
/** Returns a session that an app of the account opened. */
async function shown(device: Device): Promise<string> {
  return tokenOf(await portalLogin(await goodBundle(device, { audience: app })));
}

describe('a session limited to one account', () => {
  it.each([
    ['an app as audience', {}, { aud: app }],
    ['an account as audience', {}, { aud: `${baseUrl}/accounts/${own.account_id}` }],
    ['azp', {}, { azp: own.app_id }],
    ['the app_id of the call', { app_id: own.app_id }, {}],
    ['the link of the call', { link_uuid: '' }, {}],
  ] as const)('cannot leave its account if that was named by %s', async (_what, named, claims) => {
    const device = await inBoth();
    const body = 'link_uuid' in named ? { link_uuid: await newLink() } : named;
    const answer = await portalLogin(changedBundle(device, { claims }), body);
    expect([answer.status, answer.body['account_id'], accountsOf(answer)]).toEqual([
      200,
      own.account_id,
      [own.account_id],
    ]);
    expect(outcome(await switchTo(tokenOf(answer), foreign.account_id))).toEqual(refused);
    // Switching to its own account does not widen it.
    const again = await switchTo(tokenOf(answer), own.account_id);
    expect([again.status, accountsOf(again)]).toEqual([200, [own.account_id]]);
    expect(outcome(await switchTo(tokenOf(again), foreign.account_id))).toEqual(refused);
  });

  it.each([
    ['named by nobody', {}],
    ['chosen by the call', { account_id: own.account_id }],
  ])('is not opened by a bundle for the platform, with the account %s', async (_what, named) => {
    const device = await inBoth();
    const answer = await portalLogin(await goodBundle(device), named);
    expect(accountsOf(answer)).toEqual([own.account_id, foreign.account_id]);
    expect((await switchTo(tokenOf(answer), foreign.account_id)).status).toBe(200);
    expect((await call('GET', '/v2/devices', { token: tokenOf(answer) })).status).toBe(200);
  });

  it('cannot act for the whole person or enroll a phone', async () => {
    const device = await inBoth();
    const token = await shown(device);
    const at = `/v2/devices/${device.enrolled?.deviceId ?? ''}`;
    const asked = await Promise.all([
      call('GET', '/v2/devices', { token }),
      call('DELETE', at, { token }),
      call('GET', '/v2/logs/me', { token }),
      call('GET', '/v2/email/link', { token }),
      call('DELETE', '/v2/email/link/1', { token }),
      call('POST', '/v2/email/link/request', { token, body: { email: 'a@example.test' } }),
      call('POST', '/v2/email/link/verify', { token, body: { token: 'x'.repeat(43) } }),
      enroll(await newPhone(), {}, { token }),
    ]);
    expect(asked.map(outcome)).toEqual(asked.map(() => notWhole));
    const begun = await call('POST', '/v2/trust-checks', {
      token,
      body: { link_uuid: await foreignLink(), app_id: foreign.app_id, client: 'web' },
    });
    expect(outcome(begun)).toEqual(notWhole);
  });

  it('lists only its account and the apps of it', async () => {
    const token = await shown(await inBoth());
    const ids = async (path: string, name: string): Promise<unknown[]> => {
      const { body } = await call('GET', path, { token });
      return [...new Set((body['items'] as Members[]).map((item) => item[name]))];
    };
    expect(await ids('/v2/accounts', 'account_id')).toEqual([own.account_id]);
    expect(await ids('/applications?page_size=100', 'account_id')).toEqual([own.account_id]);
  });

  it('has no access without a membership and reveals no other account', async () => {
    const device = await phoneOf({ [foreign.account_id]: ['ADMIN'] });
    const answer = await portalLogin(await goodBundle(device, { audience: app }));
    expect([answer.status, answer.body['account_id'], accountsOf(answer)]).toEqual([200, null, []]);
    const token = tokenOf(answer);
    expect(outcome(await switchTo(token, foreign.account_id))).toEqual(refused);
    const { body } = await call('GET', '/v2/accounts', { token });
    expect([body['items'], body['total']]).toEqual([[], 0]);
    const jwt = await goodBundle(device, { audience: app });
    const exchanged = await call('POST', '/api/v1/auth/token', {
      body: { grant_type: 'jwt_exchange', jwt },
    });
    expect(outcome(exchanged)).toEqual([401, 'credential_invalid']);
  });

  it('has no role with effect beyond its account', async () => {
    const device = await phoneOf({ [own.account_id]: ['MEMBER', 'POLYADMIN'] });
    const answer = await portalLogin(await goodBundle(device, { audience: app }));
    expect(answer.body['roles']).toEqual(['MEMBER']);
    const again = await switchTo(tokenOf(answer), own.account_id);
    expect(again.body['roles']).toEqual(['MEMBER']);
    const whole = await portalLogin(await goodBundle(device));
    expect(whole.body['roles']).toEqual(['MEMBER', 'POLYADMIN']);
  });

  it('can read as subject only what its account requested', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const { polyUserId: person } = await newEmailUser(db);
    const bind = 'UPDATE trust_checks SET poly_user_id = $2 WHERE link_session_id = $1';
    await db.query(bind, [session.id, person]);
    const statuses = async (confinedTo: number | undefined): Promise<number[]> => {
      const token = await emailSession(db, person, {}, { confinedTo });
      const paths = [
        `/v2/affidavits/${own.app_id}/${session.id}/download`,
        `/v2/trust-checks/${session.id}/evidence`,
      ];
      const answers = paths.map((path) => call('GET', path, { token }));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    expect(await statuses(own.account_id)).toEqual([302, 200]);
    expect(await statuses(undefined)).toEqual([302, 200]);
    expect(await statuses(foreign.account_id)).toEqual([404, 404]);
  });
});

describe('step-up', () => {
  it('of a limited session keeps the limit', async () => {
    const device = await inBoth();
    const roles = { [own.account_id]: ['ADMIN'] } as const;
    const email = (): Promise<string> =>
      emailSession(db, idOf(device), roles, { confinedTo: own.account_id });
    const raised = await stepUp(await email(), await goodBundle(device));
    expect([raised.status, raised.body['auth_method'], accountsOf(raised)]).toEqual([
      200,
      'cert',
      [own.account_id],
    ]);
    expect(outcome(await switchTo(tokenOf(raised), foreign.account_id))).toEqual(refused);
    // A bundle or parameter for another account matches neither.
    for (const [audience, named] of [
      [`${baseUrl}/apps/${foreign.app_id}`, {}],
      [`${baseUrl}/accounts/${foreign.account_id}`, {}],
      [baseUrl, { account_id: foreign.account_id }],
    ] as const) {
      const answer = await stepUp(await email(), await goodBundle(device, { audience }), named);
      expect(outcome(answer)).toEqual([401, 'credential_invalid']);
    }
  });

  it('with a bundle for an app limits the session', async () => {
    const device = await inBoth();
    const token = await emailSession(db, idOf(device));
    const raised = await stepUp(token, await goodBundle(device, { audience: app }));
    expect([raised.status, accountsOf(raised)]).toEqual([200, [own.account_id]]);
    expect(outcome(await switchTo(tokenOf(raised), foreign.account_id))).toEqual(refused);
  });

  it('adopts no person if session or bundle is limited to an app', async () => {
    const device = await inBoth();
    const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
    const confined = await emailSession(db, user.polyUserId, {}, { confinedTo: own.account_id });
    const answers = [await stepUp(confined, await goodBundle(device))];
    const claimed = [
      { aud: app },
      { aud: `${baseUrl}/accounts/${own.account_id}` },
      { azp: own.app_id },
    ];
    for (const claims of claimed) {
      answers.push(await stepUp(user.token, changedBundle(device, { claims })));
    }
    expect(answers.map(outcome)).toEqual(answers.map(() => notWhole));
    const { rows } = await db.query('SELECT adopted_by FROM poly_users WHERE poly_user_id = $1', [
      user.polyUserId,
    ]);
    expect(rows).toEqual([{ adopted_by: null }]);
  });
});

async function foreignLink(): Promise<string> {
  const options = { token: foreign.api_key, body: { required_proofs: ['phone'] } };
  const { body } = await call('PUT', `/v2/link/${foreign.app_id}`, options);
  return String(body['link_uuid']);
}
