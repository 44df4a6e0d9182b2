import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { newEmailUser, signInBy, type EmailUser } from '../../support/people/email-users.ts';
import { askLogin, logIn, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`inviting-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}`;
});
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const invite = (poly_user_id: string, roles: readonly Role[] = ['MEMBER']): Promise<Answer> =>
  call('POST', `${at}/members`, { token: account.api_key, body: { poly_user_id, roles } });
const accept = ({ token }: Pick<EmailUser, 'token'>): Promise<Answer> =>
  call('POST', `${at}/accept`, { token });
const leave = (token: string, path = at): Promise<Answer> =>
  call('DELETE', `${path}/membership`, { token });
const invitationsOf = async ({ token }: Pick<EmailUser, 'token'>): Promise<unknown> =>
  (await call('GET', '/v2/invitations', { token })).body['items'];
async function accountsOf({ token }: Pick<EmailUser, 'token'>): Promise<unknown[]> {
  const { body } = await call('GET', '/v2/accounts', { token });
  return (body['items'] as { account_id: number }[]).map(({ account_id }) => account_id);
}

describe('a person who is invited by id', () => {
  it('becomes a member only by accepting, and can list the invitation', async () => {
    const person = await newEmailUser(db);
    const invited = await invite(person.polyUserId, ['VIEWER', 'MEMBER']);
    expect(invited.body).toMatchObject({ roles: ['VIEWER', 'MEMBER'], pending: true });
    expect(invited.body['poly_user_id']).not.toBe(person.polyUserId);
    expect(await accountsOf(person)).toEqual([]);
    expect(await invitationsOf(person)).toEqual([
      {
        account_id: account.account_id,
        name: 'Example account',
        roles: ['VIEWER', 'MEMBER'],
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    const joined = await accept(person);
    expect([joined.status, joined.body]).toEqual([
      200,
      { account_id: account.account_id, name: 'Example account', roles: ['VIEWER', 'MEMBER'] },
    ]);
    expect(await accountsOf(person)).toEqual([account.account_id]);
    expect(await invitationsOf(person)).toEqual([]);
    // The placeholder id is no longer in any list.
    const { body } = await call('GET', `${at}/members?page_size=100`, { token: account.api_key });
    const ids = (body['items'] as { poly_user_id: string }[]).map((one) => one.poly_user_id);
    expect(ids).toContain(person.polyUserId);
    expect(ids).not.toContain(invited.body['poly_user_id']);
  });

  it('keeps one invitation when both adopting and adopted ids were invited', async () => {
    const person = await newEmailUser(db);
    const device = await enrolledPhone();
    const adopting = device.enrolled?.polyUserId ?? '';
    const places = [
      String((await invite(person.polyUserId)).body['poly_user_id']),
      String((await invite(adopting, ['VIEWER'])).body['poly_user_id']),
    ];
    const raised = await call('POST', '/v2/session/step_up', {
      token: person.token,
      body: { raw_jwt: await goodBundle(device) },
    });
    expect(raised.body['adopted_poly_user_id']).toBe(person.polyUserId);
    const token = String(raised.body['session_token']);
    expect(await invitationsOf({ token })).toMatchObject([{ roles: ['VIEWER'] }]);
    const { body } = await call('GET', `${at}/members?page_size=100`, { token: account.api_key });
    const ids = (body['items'] as { poly_user_id: string }[]).map((one) => one.poly_user_id);
    expect(places.map((place) => ids.includes(place))).toEqual([false, true]);
    expect((await accept({ token })).body['roles']).toEqual(['VIEWER']);
  });

  it('gets the same answer for repeated and concurrent accepts', async () => {
    const person = await newEmailUser(db);
    await invite(person.polyUserId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(person)));
    const done = answers.filter(({ status }) => status !== 404);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect((await accept(person)).status).toBe(200);
    const { rows } = await db.query('SELECT roles FROM memberships WHERE poly_user_id = $1', [
      person.polyUserId,
    ]);
    expect(rows).toEqual([{ roles: ['MEMBER'] }]);
  });

  it('cannot accept another person’s, a withdrawn or a 30 days old invitation', async () => {
    const [person, stranger] = [await newEmailUser(db), await newEmailUser(db)];
    const invited = await invite(person.polyUserId);
    const holder = String(invited.body['poly_user_id']);
    expect(outcome(await accept(stranger))).toEqual([404, 'not_found']);
    const age = (days: number) =>
      db.query(
        `UPDATE invited_people SET created_at = now() - make_interval(days => $2)
         WHERE invited_id = $1`,
        [person.polyUserId, days],
      );
    await age(30);
    expect([outcome(await accept(person)), await invitationsOf(person)]).toEqual([
      [404, 'not_found'],
      [],
    ]);
    await age(29);
    const removed = await call('DELETE', `${at}/members/${holder}`, { token: account.api_key });
    expect(removed.status).toBe(200);
    expect([outcome(await accept(person)), await invitationsOf(person)]).toEqual([
      [404, 'not_found'],
      [],
    ]);
    expect((await invite(person.polyUserId, ['VIEWER'])).status).toBe(201);
    expect((await accept(person)).body['roles']).toEqual(['VIEWER']);
  });

  it('does not count as an ADMIN before accepting', async () => {
    const fresh = await newAccount(`pending-admin-${process.pid}-${Date.now()}`);
    const { polyUserId } = await newEmailUser(db);
    const path = `/v2/accounts/${fresh.account_id}`;
    const body = { poly_user_id: polyUserId, roles: ['ADMIN'] };
    await call('POST', `${path}/members`, { token: fresh.api_key, body });
    expect(outcome(await leave(fresh.admin.session_token, path))).toEqual([409, 'last_admin']);
  });
});

describe('a declined invitation', () => {
  const decline = ({ token }: Pick<EmailUser, 'token'>): Promise<Answer> =>
    call('POST', `${at}/decline`, { token });

  it('is removed with its placeholder, whether it was by id or by address', async () => {
    const person = await newEmailUser(db);
    const { body: byId } = await invite(person.polyUserId);
    const address = newAddress();
    const { identityId } = await signInBy(db, address);
    await db.query('UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1', [
      identityId,
      person.polyUserId,
    ]);
    const body = { email: address, roles: ['VIEWER'] };
    const byAddress = await call('POST', `${at}/members`, { token: account.api_key, body });
    expect(await invitationsOf(person)).toHaveLength(1);
    const declined = await decline(person);
    expect([declined.status, declined.body]).toEqual([
      200,
      { account_id: account.account_id, declined: true },
    ]);
    expect(await invitationsOf(person)).toEqual([]);
    expect(outcome(await accept(person))).toEqual([404, 'not_found']);
    expect(outcome(await decline(person))).toEqual([404, 'not_found']);
    const { rows } = await db.query('SELECT 1 FROM memberships WHERE poly_user_id = ANY ($1)', [
      [byId['poly_user_id'], byAddress.body['poly_user_id']],
    ]);
    expect(rows).toEqual([]);
    const told = (await audited(account)).slice(0, 2);
    expect(told.map(({ action, actor, details }) => [action, actor, details['declined']])).toEqual(
      [1, 2].map(() => ['member.removed', person.polyUserId, true]),
    );
    expect((await invite(person.polyUserId)).status).toBe(201);
    expect((await accept(person)).status).toBe(200);
  });

  it('is either accepted or declined under concurrency', async () => {
    const person = await newEmailUser(db);
    for (let round = 0; round < 5; round += 1) {
      await invite(person.polyUserId);
      const answers = await Promise.all([accept(person), decline(person)]);
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, 404]);
      const isMember = (await accountsOf(person)).length === 1;
      expect(isMember).toBe(answers[0]?.status === 200);
      await db.query('DELETE FROM memberships WHERE poly_user_id = $1', [person.polyUserId]);
    }
  });
});

it('an invitation does not change the account in which a sign-in lands', async () => {
  const address = newAddress();
  const { polyUserId } = await signInBy(db, address);
  const home = await newAccount(`home-${process.pid}-${Date.now()}`);
  await addMembership(db, [polyUserId, home.account_id, ['VIEWER'], new Date()]);
  await invite(polyUserId, ['ADMIN']);
  const body = { email: address, roles: ['ADMIN'] };
  await call('POST', `${at}/members`, { token: account.api_key, body });
  const first = await logIn(address);
  expect(first.body).toMatchObject({ account_id: home.account_id, roles: ['VIEWER'] });
  expect(first.body['accounts']).toHaveLength(1);
  const accepted = await accept({ token: String(first.body['session_token']) });
  expect(accepted.body['roles']).toEqual(['ADMIN']);
  const { cookie } = await askLogin({ email: address });
  const token = await tokenTo(address, 2);
  const again = await call('POST', '/v2/email/login/verify', {
    body: { token },
    headers: { cookie },
  });
  expect(again.body).toMatchObject({ account_id: home.account_id, roles: ['VIEWER'] });
  expect(again.body['accounts']).toHaveLength(2);
});

describe('a member', () => {
  it('can leave once, which the audit log records', async () => {
    const person = await newCertUser(db, account.account_id, ['MEMBER']);
    const left = await leave(person.token);
    expect([left.status, left.body]).toEqual([
      200,
      { account_id: account.account_id, deleted: true },
    ]);
    const [last] = await audited(account);
    expect([last?.action, last?.actor, last?.object_id]).toEqual([
      'member.removed',
      person.polyUserId,
      person.polyUserId,
    ]);
    const again = await newEmailUser(db);
    expect(outcome(await leave(again.token))).toEqual([404, 'not_found']);
  });

  it('cannot leave as the last of two ADMINs who leave concurrently', async () => {
    const fresh = await newAccount(`leaving-${process.pid}-${Date.now()}`);
    const other = await newCertUser(db, fresh.account_id, ['ADMIN']);
    const path = `/v2/accounts/${fresh.account_id}`;
    const tokens = [fresh.admin.session_token, other.token];
    const answers = await Promise.all(tokens.map((token) => leave(token, path)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});
