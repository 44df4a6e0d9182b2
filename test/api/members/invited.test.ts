import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { emailSession, signInBy } from '../../support/people/email-users.ts';
import {
  askLink,
  askLogin,
  joinBy,
  logIn,
  newAddress,
  tokenTo,
} from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`invited-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}/members`;
});
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const invite = (
  email: unknown,
  roles: readonly Role[] = ['MEMBER'],
  of: Pick<Seed, 'account_id' | 'api_key'> = account,
): Promise<Answer> =>
  call('POST', `/v2/accounts/${of.account_id}/members`, {
    token: of.api_key,
    body: { email, roles },
  });
const accept = (token: string, accountId = account.account_id): Promise<Answer> =>
  call('POST', `/v2/accounts/${accountId}/accept`, { token });
const idOf = ({ body }: Answer): string => String(body['poly_user_id']);
async function rolesOf(id: unknown, accountId = account.account_id): Promise<unknown> {
  const { rows } = await db.query(
    'SELECT roles FROM memberships WHERE poly_user_id = $1 AND account_id = $2',
    [id, accountId],
  );
  return rows[0]?.roles ?? null;
}

describe('an invited address', () => {
  it('gets the same answer whether it is unknown, known, certified or revoked', async () => {
    const [unknown, known, certified, revoked] = [
      newAddress(),
      newAddress(),
      newAddress(),
      newAddress(),
    ];
    const email = await signInBy(db, known);
    const device = await enrolledPhone();
    const held = await signInBy(db, certified);
    const owner = device.enrolled?.polyUserId;
    await db.query('UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1', [
      held.identityId,
      owner,
    ]);
    const gone = await signInBy(db, revoked);
    await db.query(`UPDATE login_emails SET status = 'REVOKED' WHERE identity_id = $1`, [
      gone.identityId,
    ]);
    const answers = await Promise.all(
      [unknown, known, certified, revoked].map((address) => invite(address)),
    );
    const shown = answers.map(({ status, headers, body }) => [
      status,
      [...headers.keys()].toSorted(),
      { ...body, poly_user_id: '', created_at: '' },
    ]);
    expect(shown.slice(1)).toEqual(shown.slice(1).map(() => shown[0]));
    expect(shown[0]?.[2]).toEqual({
      poly_user_id: '',
      created_at: '',
      kind: 'email',
      roles: ['MEMBER'],
      pending: true,
    });
    const ids = answers.map(idOf);
    expect(new Set([...ids, email.polyUserId, owner, gone.polyUserId]).size).toBe(7);
    const page = await call('GET', `${at}?page_size=100`, { token: account.api_key });
    const items = page.body['items'] as { poly_user_id: string }[];
    for (const { body } of answers) expect(items).toContainEqual(body);
  });

  it('makes the person a member who proves the address and accepts', async () => {
    const address = newAddress();
    const spelling = address.replace('person', 'PERSON');
    const holder = idOf(await invite(`  ${spelling}. `, ['REVIEWER']));
    expect(await rolesOf(holder)).toEqual(['REVIEWER']);
    const { cookie } = await askLogin({ email: address });
    const { body } = await call('POST', '/v2/email/login/verify', {
      body: { token: await tokenTo(spelling) },
      headers: { cookie },
    });
    expect(body).toMatchObject({ account_id: null, accounts: [] });
    const person = body['poly_user_id'];
    expect(person).not.toBe(holder);
    expect([await rolesOf(holder), await rolesOf(person)]).toEqual([['REVIEWER'], null]);
    const token = String(body['session_token']);
    const seen = await call('GET', '/v2/invitations', { token });
    expect(seen.body['items']).toMatchObject([
      { account_id: account.account_id, roles: ['REVIEWER'] },
    ]);
    const accepted = await accept(token);
    expect(accepted.body).toMatchObject({ account_id: account.account_id, roles: ['REVIEWER'] });
    expect([await rolesOf(holder), await rolesOf(person)]).toEqual([null, ['REVIEWER']]);
    const told = (await audited(account)).filter(({ object_id: id }) =>
      [holder, person].includes(id),
    );
    expect(told.map(({ action, object_id, details }) => [action, object_id, details])).toEqual([
      [
        'member.adopted',
        person,
        { adopted_poly_user_id: holder, from: { roles: [] }, to: { roles: ['REVIEWER'] } },
      ],
      ['member.added', holder, { to: { roles: ['REVIEWER'] } }],
    ]);
    expect(JSON.stringify(told)).not.toContain(address);
  });

  it('makes the person a member who attaches the address, per accepted account', async () => {
    const address = newAddress();
    await invite(address, ['VIEWER']);
    await invite(address, ['ADMIN'], foreign);
    const device = await enrolledPhone();
    const person = device.enrolled?.polyUserId;
    await addMembership(db, [person, account.account_id, ['MEMBER'], new Date()]);
    const session = await portalLogin(await goodBundle(device));
    const token = String(session.body['session_token']);
    const { cookie } = await askLink(token, { email: address });
    const attached = await call('POST', '/v2/email/link/verify', {
      token,
      body: { token: await tokenTo(address) },
      headers: { cookie },
    });
    expect(attached.body).toMatchObject({ status: 'ACTIVE', poly_user_id: person });
    expect(await rolesOf(person)).toEqual(['MEMBER']);
    expect((await accept(token)).body['roles']).toEqual(['MEMBER', 'VIEWER']);
    expect(await rolesOf(person, foreign.account_id)).toBeNull();
    expect((await accept(token, foreign.account_id)).status).toBe(200);
    expect(await rolesOf(person, foreign.account_id)).toEqual(['ADMIN']);
  });

  it('can be invited again with the same roles; other roles are a conflict', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 50 }, () => invite(address)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(outcome(await invite(address, ['VIEWER']))).toEqual([409, 'already_member']);
    const other = await invite(address, ['VIEWER'], foreign);
    expect(idOf(other)).not.toBe(idOf(answers[0] as Answer));
  });

  it('cannot be accepted after its placeholder was removed', async () => {
    const address = newAddress();
    const holder = idOf(await invite(address));
    const patched = await call('PATCH', `${at}/${holder}`, {
      token: account.api_key,
      body: { roles: ['ADMIN'] },
    });
    expect(patched.body['roles']).toEqual(['ADMIN']);
    expect((await call('DELETE', `${at}/${holder}`, { token: account.api_key })).status).toBe(200);
    expect((await joinBy(address, account.account_id)).accepted.status).toBe(404);
    const again = await invite(address);
    expect(again.status).toBe(201);
    expect(await rolesOf(idOf(again))).toEqual(['MEMBER']);
  });

  it('keeps its placeholder id if it is invited again before anyone proved it', async () => {
    const address = newAddress();
    const holder = idOf(await invite(address));
    await call('DELETE', `${at}/${holder}`, { token: account.api_key });
    expect(idOf(await invite(address, ['VIEWER']))).toBe(holder);
    expect(await rolesOf(holder)).toEqual(['VIEWER']);
  });

  it('cannot be accepted after thirty days, unless it is invited again', async () => {
    const address = newAddress();
    const holder = idOf(await invite(address));
    await db.query(
      `UPDATE invited_addresses SET created_at = now() - interval '31 days'
       WHERE poly_user_id = $1`,
      [holder],
    );
    const { polyUserId } = await signInBy(db, address);
    const token = await emailSession(db, polyUserId);
    expect((await accept(token)).status).toBe(404);
    expect([await rolesOf(holder), await rolesOf(polyUserId)]).toEqual([['MEMBER'], null]);
    expect(idOf(await invite(address))).toBe(holder);
    const again = await accept(token);
    expect(again.body['roles']).toEqual(['MEMBER']);
    expect([await rolesOf(holder), await rolesOf(polyUserId)]).toEqual([null, ['MEMBER']]);
  });

  it('does not count as an ADMIN until it is accepted', async () => {
    const fresh = await newAccount(`pending-${process.pid}-${Date.now()}`);
    const address = newAddress();
    const pending = await invite(address, ['ADMIN'], fresh);
    expect(pending.body['pending']).toBe(true);
    const path = `/v2/accounts/${fresh.account_id}/members/${fresh.admin.poly_user_id}`;
    const end = (): Promise<Answer> => call('DELETE', path, { token: fresh.api_key });
    expect(outcome(await end())).toEqual([409, 'last_admin']);
    const { body } = await logIn(address);
    expect(outcome(await end())).toEqual([409, 'last_admin']);
    const token = String(body['session_token']);
    expect((await accept(token, fresh.account_id)).status).toBe(200);
    expect((await end()).status).toBe(200);
  });

  it('yields one consistent result under concurrent accepts, changes and removals', async () => {
    const address = newAddress();
    const { polyUserId } = await signInBy(db, address);
    const session = await emailSession(db, polyUserId);
    const prove = () => accept(session);
    for (let round = 0; round < 10; round += 1) {
      const holder = idOf(await invite(address, ['VIEWER']));
      const path = `${at}/${holder}`;
      const token = account.api_key;
      const [changed, ended, again] = await Promise.all([
        call('PATCH', path, { token, body: { roles: ['MEMBER'] } }),
        call('DELETE', path, { token }),
        invite(address, ['VIEWER']),
        ...Array.from({ length: 8 }, prove),
      ]);
      expect([200, 404]).toContain(changed.status);
      expect([200, 404]).toContain(ended.status);
      expect([201, 409]).toContain(again.status);
      await prove();
      expect(await rolesOf(holder)).toBeNull();
      await db.query('DELETE FROM memberships WHERE poly_user_id = $1', [polyUserId]);
    }
  });

  it('cannot get a higher role than the inviter has', async () => {
    const { token } = await newCertUser(db, account.account_id, ['ADMIN']);
    const refused = await call('POST', at, {
      token,
      body: { email: newAddress(), roles: ['POLYADMIN'] },
    });
    expect(outcome(refused)).toEqual([403, 'role_required']);
  });

  it.each([
    [{ roles: ['VIEWER'] }],
    [{ email: 'a@example.test', poly_user_id: 'pu_1', roles: ['VIEWER'] }],
    [{ email: 'a@example.test' }],
    [{ email: 'nobody', roles: ['VIEWER'] }],
    [{ email: 'a@b.test, c@d.test', roles: ['VIEWER'] }],
    [{ email: 'a@b.test\r\nBcc: c@d.test', roles: ['VIEWER'] }],
    [{ email: ['a@b.test'], roles: ['VIEWER'] }],
    [{ email: `${'a'.repeat(400)}@b.test`, roles: ['VIEWER'] }],
    [{ email: null, roles: ['VIEWER'] }],
  ])('is rejected for %j', async (body) => {
    expect((await call('POST', at, { token: account.api_key, body })).status).toBe(422);
  });
});
