import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, passedSession, withAffidavit, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { audited } from '../../support/people/audited.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const path = '/v2/session/step_up';
const stepUp = (body: unknown, token?: string): Promise<Answer> =>
  call('POST', path, { body, ...(token === undefined ? {} : { token }) });
const idOf = (device: Device): string => device.enrolled?.polyUserId ?? '';
const sessionWorks = async (token: unknown): Promise<boolean> =>
  (await call('GET', '/v2/devices', { token: String(token) })).status === 200;

async function rolesOf(polyUserId: string): Promise<Record<number, string[]>> {
  const { rows } = await db.query<{ account_id: number; roles: string[] }>(
    'SELECT account_id, roles FROM memberships WHERE poly_user_id = $1 ORDER BY account_id',
    [polyUserId],
  );
  return Object.fromEntries(rows.map(({ account_id, roles }) => [account_id, roles]));
}
/** Returns a phone of a person with these memberships. */
async function phoneOf(memberships: Record<number, Role[]>): Promise<Device> {
  const device = await enrolledPhone();
  for (const [account, roles] of Object.entries(memberships)) {
    await addMembership(db, [idOf(device), Number(account), roles, new Date()]);
  }
  return device;
}
const refusalOf = ({ status, body }: Answer): unknown[] => [status, body['code']];

describe('step-up of the bundle’s own person', () => {
  it('opens a cert session in the account of the email session', async () => {
    const memberships = { [own.account_id]: ['MEMBER'], [foreign.account_id]: ['VIEWER'] } as const;
    const device = await phoneOf({
      [own.account_id]: ['MEMBER'],
      [foreign.account_id]: ['VIEWER'],
    });
    const token = await emailSession(db, idOf(device), memberships);
    const answer = await stepUp({ raw_jwt: await goodBundle(device) }, token);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      auth_method: 'cert',
      account_id: own.account_id,
      roles: ['MEMBER'],
      poly_user_id: idOf(device),
    });
    expect(answer.body).not.toHaveProperty('adopted_poly_user_id');
    const lifeMs = Date.parse(String(answer.body['expires_at'])) - Date.now();
    expect(lifeMs).toBeLessThanOrEqual(3600_000);
    expect(await sessionWorks(answer.body['session_token'])).toBe(true);
  });

  it('accepts the session token in the body if there is no header', async () => {
    const device = await phoneOf({});
    const token = await emailSession(db, idOf(device));
    const answer = await stepUp({ jwt: await goodBundle(device), session_token: token });
    expect([answer.status, answer.body['auth_method']]).toEqual([200, 'cert']);
  });

  it('selects the named account and refuses accounts of others', async () => {
    const device = await phoneOf({ [own.account_id]: ['MEMBER'] });
    const token = await emailSession(db, idOf(device));
    const named = async (account: number): Promise<Answer> =>
      stepUp({ raw_jwt: await goodBundle(device), account_id: account }, token);
    expect((await named(own.account_id)).body['account_id']).toBe(own.account_id);
    expect(refusalOf(await named(foreign.account_id))).toEqual([401, 'credential_invalid']);
  });

  it.each([
    ['the bundle’s audience', `${baseUrl}/accounts/${foreign.account_id}`, {}],
    ['an app', baseUrl, { app_id: foreign.app_id }],
  ])('prefers the account named by %s to that of the session', async (_by, audience, named) => {
    const roles = { [own.account_id]: ['MEMBER'], [foreign.account_id]: ['VIEWER'] } as const;
    const device = await phoneOf({
      [own.account_id]: ['MEMBER'],
      [foreign.account_id]: ['VIEWER'],
    });
    const token = await emailSession(db, idOf(device), roles);
    const answer = await stepUp(
      { raw_jwt: await goodBundle(device, { audience }), ...named },
      token,
    );
    expect([answer.status, answer.body['account_id'], answer.body['roles']]).toEqual([
      200,
      foreign.account_id,
      ['VIEWER'],
    ]);
  });
});

describe('step-up of an email-only person', () => {
  it('is an adoption: memberships, emails and links move, sessions end', async () => {
    const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
    const other = await emailSession(db, user.polyUserId);
    const link = await call('PUT', `/v2/link/${own.app_id}`, { token: user.token, body: {} });
    expect(link.body['created_by']).toBe(user.polyUserId);
    await db.query(
      `INSERT INTO login_emails (poly_user_id, email_sealed, email_blind, status)
       VALUES ($1, '\\x00', sha256($1::text::bytea), 'ACTIVE')`,
      [user.polyUserId],
    );
    const device = await phoneOf({ [own.account_id]: ['VIEWER'], [foreign.account_id]: ['ADMIN'] });
    const answer = await stepUp({ raw_jwt: await goodBundle(device) }, user.token);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      auth_method: 'cert',
      account_id: own.account_id,
      poly_user_id: idOf(device),
      adopted_poly_user_id: user.polyUserId,
    });
    expect(await rolesOf(user.polyUserId)).toEqual({});
    expect(await rolesOf(idOf(device))).toEqual({
      [own.account_id]: ['MEMBER', 'VIEWER'],
      [foreign.account_id]: ['ADMIN'],
    });
    const { rows } = await db.query<Record<string, unknown>>(
      `SELECT u.adopted_by, u.identity_group_id = a.identity_group_id AS linked,
         (SELECT count(*)::int FROM login_emails WHERE poly_user_id = $2) AS emails,
         (SELECT count(*)::int FROM sessions
          WHERE poly_user_id = $1 AND revoked_at IS NULL) AS sessions
       FROM poly_users u, poly_users a WHERE u.poly_user_id = $1 AND a.poly_user_id = $2`,
      [user.polyUserId, idOf(device)],
    );
    expect(rows).toEqual([{ adopted_by: idOf(device), linked: true, emails: 1, sessions: 0 }]);
    expect(await sessionWorks(other)).toBe(false);
    // The audit log records the new owner of each moved role.
    const audits = [own, foreign].map(async (account) =>
      (await audited(account)).filter(({ object_id }) => object_id === idOf(device)),
    );
    const [here = [], there = []] = await Promise.all(audits);
    expect(there).toEqual([]);
    expect(here.map(({ action, actor, details }) => [action, actor, details])).toEqual([
      [
        'member.adopted',
        idOf(device),
        {
          adopted_poly_user_id: user.polyUserId,
          from: { roles: ['VIEWER'] },
          to: { roles: ['VIEWER', 'MEMBER'] },
        },
      ],
    ]);
    const at = `/v2/link/${own.app_id}/${String(link.body['link_uuid'])}`;
    const token = String(answer.body['session_token']);
    const edited = await call('PATCH', at, { token, body: { title: 'mine' } });
    expect([edited.status, edited.body['created_by']]).toEqual([200, idOf(device)]);
  });

  it('keeps access to earlier affidavits and their evidence', async () => {
    const user = await newEmailUser(db);
    const session = await passedSession();
    await withAffidavit(session);
    await db.query('UPDATE trust_checks SET poly_user_id = $2 WHERE link_session_id = $1', [
      session.id,
      user.polyUserId,
    ]);
    const statuses = (token: string): Promise<number[]> =>
      Promise.all(
        [
          `/v2/affidavits/${own.app_id}/${session.id}/download`,
          `/v2/trust-checks/${session.id}/evidence`,
        ].map(async (at) => (await call('GET', at, { token })).status),
      );
    const device = await phoneOf({});
    const before = await portalLogin(await goodBundle(device));
    expect(await statuses(String(before.body['session_token']))).toEqual([404, 404]);
    const { body } = await stepUp({ raw_jwt: await goodBundle(device) }, user.token);
    expect(body['adopted_poly_user_id']).toBe(user.polyUserId);
    expect(await statuses(String(body['session_token']))).toEqual([302, 200]);
  });

  it('emits an event to every account of the person, each in a stream of its own', async () => {
    const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
    const device = await phoneOf({ [foreign.account_id]: ['VIEWER'] });
    expect((await stepUp({ raw_jwt: await goodBundle(device) }, user.token)).status).toBe(200);
    const { rows } = await db.query(
      `SELECT account_id, type, stream, seq, data FROM events
       WHERE object_id = $1 ORDER BY account_id`,
      [idOf(device)],
    );
    const event = {
      type: 'identity.merged',
      seq: 1,
      data: { object: { poly_user_id: idOf(device), adopted_poly_user_id: user.polyUserId } },
    };
    expect(rows).toEqual(
      [own.account_id, foreign.account_id]
        .toSorted((a, b) => a - b)
        .map((id) => ({ ...event, account_id: id, stream: `identity:${idOf(device)}:${id}` })),
    );
  });

  it('succeeds once for ten concurrent bundles of two people', async () => {
    const devices = await Promise.all([phoneOf({}), phoneOf({})]);
    const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
    const bundles = await Promise.all(
      Array.from({ length: 10 }, (_, place) => devices[place % 2] ?? devices[0]).map(
        async (device) => goodBundle(device),
      ),
    );
    const answers = await Promise.all(
      bundles.map(async (bundle) => stepUp({ raw_jwt: bundle }, user.token)),
    );
    const [won] = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    // Further bundles of the winner find the session ended. Those of the other person find it ended
    // or owned.
    const of = (parity: number): number[] =>
      answers.map(({ status }) => status).filter((_status, place) => place % 2 === parity);
    const winners = answers.findIndex(({ status }) => status === 200) % 2;
    expect(of(winners).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401]);
    expect(of(1 - winners).filter((status) => status !== 401 && status !== 409)).toEqual([]);
    const held = await Promise.all(devices.map(async (device) => rolesOf(idOf(device))));
    expect(held.filter((roles) => Object.keys(roles).length > 0)).toHaveLength(1);
    expect(await rolesOf(String(won?.body['poly_user_id']))).toEqual({
      [own.account_id]: ['MEMBER'],
    });
  });
});

describe('step-up is refused', () => {
  it('with 409 if the session belongs to another person with a device', async () => {
    const [device, other] = [await phoneOf({}), await phoneOf({ [own.account_id]: ['MEMBER'] })];
    const token = await emailSession(db, idOf(other), { [own.account_id]: ['MEMBER'] });
    const refused = await stepUp({ raw_jwt: await goodBundle(device) }, token);
    expect(refusalOf(refused)).toEqual([409, 'identity_owned']);
    expect(await rolesOf(idOf(other))).toEqual({ [own.account_id]: ['MEMBER'] });
    expect(await sessionWorks(token)).toBe(true);
  });

  it('with 409 for a cert session of another person than the bundle’s', async () => {
    const [device, other] = [await phoneOf({}), await phoneOf({})];
    const { body } = await portalLogin(await goodBundle(device));
    const refused = await stepUp(
      { raw_jwt: await goodBundle(other) },
      String(body['session_token']),
    );
    expect(refusalOf(refused)).toEqual([409, 'identity_owned']);
  });

  it('with 401 without a session', async () => {
    const device = await phoneOf({});
    const bundle = await goodBundle(device);
    for (const body of [{ raw_jwt: bundle }, {}]) {
      expect(refusalOf(await stepUp(body))).toEqual([401, 'credential_missing']);
    }
    const wrong = { raw_jwt: bundle, session_token: 'nonsense' };
    expect(refusalOf(await stepUp(wrong))).toEqual([401, 'credential_invalid']);
    expect(refusalOf(await stepUp({ raw_jwt: bundle }, own.api_key))).toEqual([
      401,
      'credential_invalid',
    ]);
    expect((await portalLogin(bundle)).status).toBe(200);
  });

  it('with 422 without a bundle or with two different ones', async () => {
    const { token } = await newEmailUser(db);
    const missing = await stepUp({}, token);
    expect([missing.status, missing.body['detail']]).toEqual([
      422,
      [{ loc: ['body', 'raw_jwt'], msg: 'the bundle is required', type: 'missing' }],
    ]);
    expect((await stepUp({ raw_jwt: 'a', jwt: 'b' }, token)).status).toBe(422);
  });

  it('with 400 for two sessions', async () => {
    const { token } = await newEmailUser(db);
    const device = await phoneOf({});
    const refused = await stepUp(
      { raw_jwt: await goodBundle(device), session_token: token },
      token,
    );
    expect(refusalOf(refused)).toEqual([400, 'credential_ambiguous']);
  });

  it('with 401 for a used, foreign or malformed bundle', async () => {
    const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
    const device = await phoneOf({});
    const used = await goodBundle(device);
    await portalLogin(used);
    const foreignBundle = await goodBundle(device, { baseUrl: 'https://other.example.test' });
    for (const bundle of [used, foreignBundle, user.token, 'nonsense', 'a.b.c']) {
      const refused = await stepUp({ raw_jwt: bundle }, user.token);
      expect(refusalOf(refused)).toEqual([401, 'credential_invalid']);
    }
    expect(await rolesOf(user.polyUserId)).toEqual({ [own.account_id]: ['MEMBER'] });
    expect(await sessionWorks(user.token)).toBe(true);
  });
});
