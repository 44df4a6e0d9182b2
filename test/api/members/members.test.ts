import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Role } from '../../../domain/names.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { newEmailUser, type EmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let at: string;
beforeAll(async () => {
  account = await newAccount(`members-${process.pid}-${Date.now()}`);
  at = `/v2/accounts/${account.account_id}/members`;
});
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const memberOf = (roles: readonly Role[]): Promise<EmailUser> =>
  newCertUser(db, account.account_id, roles);
const invite = (body: unknown, token = account.api_key): Promise<Answer> =>
  call('POST', at, { token, body });
const accept = (token: string): Promise<Answer> =>
  call('POST', `/v2/accounts/${account.account_id}/accept`, { token });
const update = (id: string, roles: unknown, token = account.api_key): Promise<Answer> =>
  call('PATCH', `${at}/${id}`, { token, body: { roles } });
const remove = (id: string, token = account.api_key): Promise<Answer> =>
  call('DELETE', `${at}/${id}`, { token });
async function rolesOf(id: string): Promise<unknown> {
  const { rows } = await db.query(
    'SELECT roles FROM memberships WHERE poly_user_id = $1 AND account_id = $2',
    [id, account.account_id],
  );
  return rows[0]?.roles ?? null;
}

describe('a member', () => {
  it('can be invited, changed and removed, each audited once', async () => {
    const { polyUserId: id, token } = await newEmailUser(db);
    const made = await invite({ poly_user_id: id, roles: ['REVIEWER', 'VIEWER', 'REVIEWER'] });
    expect([made.status, made.body]).toEqual([
      201,
      {
        poly_user_id: expect.not.stringMatching(id),
        kind: 'email',
        roles: ['VIEWER', 'REVIEWER'],
        created_at: expect.any(String),
        pending: true,
      },
    ]);
    // Repeating the same invitation adds no second row; another one is a conflict.
    expect((await invite({ poly_user_id: id, roles: ['VIEWER', 'REVIEWER'] })).body).toEqual(
      made.body,
    );
    const other = await invite({ poly_user_id: id, roles: ['MEMBER'] });
    expect(outcome(other)).toEqual([409, 'already_member']);
    expect((await accept(token)).status).toBe(200);
    expect((await invite({ poly_user_id: id, roles: ['VIEWER', 'REVIEWER'] })).body).toEqual({
      poly_user_id: id,
      kind: 'email',
      roles: ['VIEWER', 'REVIEWER'],
      created_at: expect.any(String),
    });
    expect((await update(id, ['ADMIN'])).body).toMatchObject({
      poly_user_id: id,
      roles: ['ADMIN'],
    });
    expect((await update(id, ['ADMIN'])).status).toBe(200);
    expect((await remove(id)).body).toEqual({ poly_user_id: id, deleted: true });
    expect(outcome(await remove(id))).toEqual([404, 'not_found']);
    expect(outcome(await update(id, ['VIEWER']))).toEqual([404, 'not_found']);
    const told = (await audited(account)).filter(({ object_id }) => object_id === id);
    expect(told.map(({ action, details }) => [action, details])).toEqual([
      ['member.removed', { from: { roles: ['ADMIN'] } }],
      ['member.updated', { from: { roles: ['VIEWER', 'REVIEWER'] }, to: { roles: ['ADMIN'] } }],
      [
        'member.adopted',
        {
          adopted_poly_user_id: made.body['poly_user_id'],
          from: { roles: [] },
          to: { roles: ['VIEWER', 'REVIEWER'] },
        },
      ],
    ]);
    const keyId = account.api_key.slice(0, account.api_key.lastIndexOf('_'));
    const key = [keyId, 'first key'];
    expect(told.map(({ actor, actor_name }) => [actor, actor_name])).toEqual([
      key,
      key,
      [id, null],
    ]);
  });

  it('is in the list and acts in the account through a switched session', async () => {
    const { polyUserId: id, token } = await newEmailUser(db);
    expect((await call('GET', at, { token })).status).toBe(404);
    await invite({ poly_user_id: id, roles: ['ADMIN'] });
    expect((await accept(token)).status).toBe(200);
    const switched = await call('POST', '/v2/session/switch_account', {
      token,
      body: { account_id: account.account_id },
    });
    const own = String(switched.body['session_token']);
    const page = await call('GET', `${at}?page_size=100`, { token: own });
    const items = page.body['items'] as { poly_user_id: string; roles: string[] }[];
    expect(items.find(({ poly_user_id }) => poly_user_id === id)?.roles).toEqual(['ADMIN']);
    expect(items.length).toBe(page.body['total']);
  });

  it('cannot be a person who does not exist or was adopted by another', async () => {
    const { polyUserId: gone } = await newEmailUser(db);
    await db.query('UPDATE poly_users SET adopted_by = $2 WHERE poly_user_id = $1', [
      gone,
      account.subject.poly_user_id,
    ]);
    for (const id of ['pu_nobody', gone]) {
      const refused = await invite({ poly_user_id: id, roles: ['VIEWER'] });
      expect(outcome(refused)).toEqual([404, 'not_found']);
    }
  });

  it.each([
    [{}],
    [{ poly_user_id: 'pu_1' }],
    [{ poly_user_id: 'pu_1', roles: [] }],
    [{ poly_user_id: 'pu_1', roles: ['OWNER'] }],
    [{ poly_user_id: 'pu_1', roles: 'ADMIN' }],
    [{ poly_user_id: '../x', roles: ['VIEWER'] }],
    [{ poly_user_id: 7, roles: ['VIEWER'] }],
    [{ poly_user_id: 'x'.repeat(65), roles: ['VIEWER'] }],
    [{ poly_user_id: 'pu_1', roles: Array.from({ length: 6 }, () => 'VIEWER') }],
    [null],
  ])('cannot be invited with %j', async (body) => {
    expect((await invite(body)).status).toBe(422);
  });

  it.each([
    [{ locale: 'de' }, ['locale']],
    [{ return_to: 'https://example.test/' }, ['return_to']],
    [{ locale: 'de', return_to: 'https://example.test/' }, ['locale', 'return_to']],
  ])('invited by id, who gets no email, cannot have %j', async (more, named) => {
    const { polyUserId: poly_user_id } = await newEmailUser(db);
    const { status, body } = await invite({ poly_user_id, roles: ['VIEWER'], ...more });
    const detail = named.map((name) => expect.objectContaining({ loc: ['body', name] }));
    expect([status, body['detail']]).toEqual([422, detail]);
    expect((await invite({ poly_user_id, roles: ['VIEWER'] })).status).toBe(201);
  });

  it('is invited once per Idempotency-Key', async () => {
    const { polyUserId: id } = await newEmailUser(db);
    const headers = { 'idempotency-key': `members-${id}` };
    const ask = (roles: readonly Role[]): Promise<Answer> =>
      call('POST', at, {
        token: account.api_key,
        body: { poly_user_id: id, roles },
        headers,
      });
    const first = await ask(['VIEWER']);
    await remove(String(first.body['poly_user_id']));
    const again = await ask(['VIEWER']);
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body]);
    expect(await rolesOf(id)).toBeNull();
    expect(outcome(await ask(['MEMBER']))).toEqual([409, 'idempotency_mismatch']);
  });

  it('of another account is not found', async () => {
    const path = `/v2/accounts/${foreign.account_id}/members/${foreign.member.poly_user_id}`;
    const { token } = await memberOf(['ADMIN']);
    const changed = await call('PATCH', path, { token, body: { roles: ['VIEWER'] } });
    const removed = await call('DELETE', path, { token });
    expect([changed, removed].map(outcome)).toEqual([1, 2].map(() => [404, 'not_found']));
    expect((await remove(foreign.member.poly_user_id)).status).toBe(404);
    expect((await call('GET', '/v2/accounts/2147483647/members', { token })).status).toBe(404);
    expect((await call('GET', '/v2/accounts/2147483648/members', { token })).status).toBe(422);
  });
});

describe('granting roles', () => {
  it('above one’s own is refused: an ADMIN cannot create or change a POLYADMIN', async () => {
    const { polyUserId: id } = await newEmailUser(db);
    const polyadmin = await memberOf(['POLYADMIN']);
    const admin = await memberOf(['ADMIN']);
    for (const token of [account.api_key, admin.token]) {
      const refused = [
        await invite({ poly_user_id: id, roles: ['POLYADMIN'] }, token),
        await update(admin.polyUserId, ['ADMIN', 'POLYADMIN'], token),
        await update(polyadmin.polyUserId, ['VIEWER'], token),
        await remove(polyadmin.polyUserId, token),
      ];
      expect(refused.map(outcome)).toEqual(refused.map(() => [403, 'role_required']));
    }
    expect(await rolesOf(polyadmin.polyUserId)).toEqual(['POLYADMIN']);
    expect(await rolesOf(id)).toBeNull();
  });

  it('is allowed to a POLYADMIN in every account and audited by person', async () => {
    const { polyUserId, token } = await newCertUser(db, foreign.account_id, ['POLYADMIN']);
    const { polyUserId: id } = await newEmailUser(db);
    const invited = await invite({ poly_user_id: id, roles: ['POLYADMIN'] }, token);
    expect(invited.status).toBe(201);
    const [last] = await audited(account);
    expect([last?.action, last?.actor, last?.actor_name]).toEqual([
      'member.added',
      polyUserId,
      null,
    ]);
    expect((await remove(String(invited.body['poly_user_id']), token)).status).toBe(200);
    const nowhere = await call('GET', '/v2/accounts/2147483647/members', { token });
    expect(outcome(nowhere)).toEqual([404, 'not_found']);
    const body = { poly_user_id: id, roles: ['VIEWER'] };
    const refused = await call('POST', '/v2/accounts/2147483647/members', { token, body });
    expect(outcome(refused)).toEqual([404, 'not_found']);
  });

  it('uses the current roles: a session with removed roles is refused at once', async () => {
    const admin = await memberOf(['ADMIN']);
    const { polyUserId: id } = await newEmailUser(db);
    expect((await call('GET', at, { token: admin.token })).status).toBe(200);
    expect((await update(admin.polyUserId, ['MEMBER'])).status).toBe(200);
    expect((await call('GET', at, { token: admin.token })).status).toBe(401);
    const refused = await invite({ poly_user_id: id, roles: ['ADMIN'] }, admin.token);
    expect(outcome(refused)).toEqual([401, 'credential_invalid']);
    expect(await rolesOf(id)).toBeNull();
  });
});
