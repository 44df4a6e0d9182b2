import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { addMembership } from '../../../../db/queries/seeding.ts';
import type { Role } from '../../../../domain/names.ts';
import { enrolledPhone } from '../../../support/checks/phone.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { audited } from '../../../support/people/audited.ts';
import { signInBy } from '../../../support/people/email-users.ts';
import { joinBy, logIn, newAddress } from '../../../support/people/mailbox.ts';
import {
  accessToken,
  claimsOf,
  endSignIn,
  exchange,
  newProvider,
  putProvider,
  startSignIn,
  type KeyedIssuer,
} from '../../../support/people/sso.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `managed-${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
let polyadmin: Pick<Seed, 'account_id' | 'api_key'>;
let provider: string;
let given: Record<string, unknown>;
beforeAll(async () => {
  ({ idp, account, polyadmin } = await startSignIn(db, mark));
  given = { issuer: idp.issuer.issuer, email_domains: ['example.test'] };
  provider = await putProvider(newProvider(mark), given, polyadmin);
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const tokenFor = (email: string, groups: readonly string[] = ['staff']): string =>
  accessToken(idp, { sub: email, email, email_verified: true, groups });
const sessionIn = ({ body }: Answer): string => String(body['session_token']);
async function membershipOf(id: unknown): Promise<unknown[]> {
  const { rows } = await db.query<{ roles: Role[]; managed_by: string | null }>(
    'SELECT roles, managed_by FROM memberships WHERE poly_user_id = $1 AND account_id = $2',
    [id, account.account_id],
  );
  return rows.flatMap(({ roles, managed_by }) => [roles, managed_by]);
}

describe('a membership managed by provider groups', () => {
  it('is valid only in sessions of the provider', async () => {
    const address = newAddress();
    const person = claimsOf(await exchange(provider, tokenFor(address)))['sub'];
    const { body } = await logIn(address);
    expect([body['poly_user_id'], body['account_id'], body['accounts']]).toEqual([
      person,
      null,
      [],
    ]);
    const to = { account_id: account.account_id };
    const token = String(body['session_token']);
    const switched = await call('POST', '/v2/session/switch_account', { token, body: to });
    expect(outcome(switched)).toEqual([401, 'membership_required']);
    expect((await call('GET', '/v2/accounts', { token })).body['items']).toEqual([]);
    expect((await call('GET', '/applications', { token })).body['items']).toEqual([]);
  });

  it.each([
    ['switched off', (name: string) => putProvider(name, { ...given, enabled: false }, polyadmin)],
    [
      'removed',
      (name: string) =>
        call('DELETE', `/v2/accounts/${account.account_id}/sso-providers/${name}`, {
          token: account.api_key,
        }),
    ],
  ])('ends when the provider is %s', async (_what, end) => {
    const name = await putProvider(newProvider(mark), given, polyadmin);
    const [first, second] = [
      sessionIn(await exchange(name, accessToken(idp))),
      sessionIn(await exchange(name, accessToken(idp))),
    ];
    expect((await call('GET', '/applications', { token: first })).status).toBe(200);
    await end(name);
    const ended = await call('GET', '/applications', { token: second });
    expect(outcome(ended)).toEqual([401, 'credential_invalid']);
  });

  it('stays managed if the address is invited', async () => {
    const address = newAddress();
    const person = claimsOf(await exchange(provider, tokenFor(address, ['admins'])))['sub'];
    const invited = await call('POST', `/v2/accounts/${account.account_id}/members`, {
      token: account.api_key,
      body: { email: address, roles: ['VIEWER'] },
    });
    expect(invited.status).toBe(201);
    const { accepted } = await joinBy(address, account.account_id);
    expect(accepted.status).toBe(404);
    expect(await membershipOf(person)).toEqual([['ADMIN'], provider]);
    await exchange(provider, tokenFor(address, []));
    expect(await membershipOf(person)).toEqual([]);
  });

  it('moves to the adopter in a step-up, with the same expiry', async () => {
    const name = await putProvider(newProvider(mark), { issuer: idp.issuer.issuer }, account);
    const lent = await exchange(name, accessToken(idp));
    const device = await enrolledPhone();
    const adopter = device.enrolled?.polyUserId;
    const raised = await call('POST', '/v2/session/step_up', {
      token: sessionIn(lent),
      body: { raw_jwt: await goodBundle(device) },
    });
    expect(raised.body).toMatchObject({ auth_method: 'cert', roles: ['MEMBER'] });
    const [before, after] = [claimsOf(lent), claimsOf(raised)];
    expect([after['sub'], after['idp'], after['exp']]).toEqual([adopter, name, before['exp']]);
    expect(await membershipOf(adopter)).toEqual([['MEMBER'], name]);
    const used = await call('GET', '/applications', { token: sessionIn(raised) });
    expect(used.status).toBe(200);
    const devices = await call('GET', '/v2/devices', { token: sessionIn(raised) });
    expect(outcome(devices)).toEqual([403, 'own_sign_in_required']);
  });

  it('ends for the adopter with the groups, and so do the API keys created by it', async () => {
    const name = await putProvider(newProvider(mark), { issuer: idp.issuer.issuer }, account);
    const sub = `adopted-${Date.now()}`;
    const lent = await exchange(name, accessToken(idp, { sub, groups: ['admins'] }));
    const device = await enrolledPhone();
    const adopter = device.enrolled?.polyUserId;
    const raised = await call('POST', '/v2/session/step_up', {
      token: sessionIn(lent),
      body: { raw_jwt: await goodBundle(device) },
    });
    const keys = `/v2/accounts/${account.account_id}/api-keys`;
    const made = await call('POST', keys, {
      token: sessionIn(raised),
      body: { name: 'by groups', roles: ['ADMIN'] },
    });
    const key = String(made.body['api_key']);
    expect((await call('GET', keys, { token: key })).status).toBe(200);
    expect((await exchange(name, accessToken(idp, { sub, groups: [] }))).status).toBe(401);
    expect(await membershipOf(adopter)).toEqual([]);
    expect(outcome(await call('GET', keys, { token: key }))).toEqual([401, 'credential_invalid']);
    const after = await call('GET', keys, { token: sessionIn(raised) });
    expect(outcome(after)).toEqual([401, 'credential_invalid']);
  });

  it('is not added to a membership that an ADMIN granted', async () => {
    const name = await putProvider(newProvider(mark), { issuer: idp.issuer.issuer }, account);
    const device = await enrolledPhone();
    const adopter = device.enrolled?.polyUserId;
    await addMembership(db, [adopter, account.account_id, ['VIEWER'], new Date()]);
    const raise = async (groups: readonly string[]): Promise<Answer> =>
      call('POST', '/v2/session/step_up', {
        token: sessionIn(await exchange(name, accessToken(idp, { groups }))),
        body: { raw_jwt: await goodBundle(device) },
      });
    expect((await raise(['admins'])).body['roles']).toEqual(['VIEWER']);
    expect(await membershipOf(adopter)).toEqual([['VIEWER'], null]);
    await db.query(`UPDATE memberships SET roles = '{ADMIN}' WHERE poly_user_id = $1`, [adopter]);
    expect(outcome(await raise(['staff']))).toEqual([403, 'own_sign_in_required']);
  });
});

describe('a refused sign-in', () => {
  it('changes nothing', async () => {
    const address = newAddress();
    const { polyUserId, identityId } = await signInBy(db, address);
    await addMembership(db, [polyUserId, account.account_id, ['ADMIN'], new Date()]);
    const state = async (): Promise<unknown> => {
      const { rows } = await db.query(
        `SELECT (SELECT last_login_at FROM login_emails WHERE identity_id = $2) AS login,
           (SELECT json_agg(s ORDER BY digest) FROM sso_subjects s WHERE account_id = $1) AS subjects,
           (SELECT json_agg(m ORDER BY poly_user_id) FROM memberships m WHERE account_id = $1)
             AS members`,
        [account.account_id, identityId],
      );
      return [rows, (await audited(account)).length];
    };
    const tokens = [
      tokenFor(address),
      tokenFor(address, []),
      tokenFor(newAddress(), ['strangers']),
    ];
    const refuse = async (): Promise<void> => {
      const before = await state();
      for (const token of tokens) {
        expect(outcome(await exchange(provider, token))).toEqual([401, 'credential_invalid']);
      }
      expect(await state()).toEqual(before);
    };
    await refuse();
    expect((await exchange(provider, tokenFor(address, ['admins']))).status).toBe(200);
    await refuse();
  });
});
