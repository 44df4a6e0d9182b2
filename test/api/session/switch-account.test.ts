import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const path = '/v2/session/switch_account';
const switchTo = (token: string, accountId: unknown): Promise<Answer> =>
  call('POST', path, { token, body: { account_id: accountId } });
const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;

/** Returns a session of a person with two accounts, in the first of them. */
async function certSession(): Promise<{ polyUserId: string; token: string }> {
  const device = await enrolledPhone();
  const polyUserId = device.enrolled?.polyUserId ?? '';
  await addMembership(db, [polyUserId, own.account_id, ['MEMBER'], new Date()]);
  await addMembership(db, [polyUserId, foreign.account_id, ['VIEWER'], new Date()]);
  const bundle = await goodBundle(device);
  const { body } = await portalLogin(bundle, { account_id: own.account_id });
  return { polyUserId, token: String(body['session_token']) };
}
const emailSession = (): Promise<{ polyUserId: string; token: string }> =>
  newEmailUser(db, { [own.account_id]: ['MEMBER'], [foreign.account_id]: ['VIEWER'] });

describe.each([
  ['cert', certSession],
  ['email', emailSession],
] as const)('a session by %s', (method, open) => {
  it('continues in another account with the same id, assurance and expiry', async () => {
    const { polyUserId, token } = await open();
    const { status, body } = await switchTo(token, foreign.account_id);
    expect(status).toBe(200);
    const [before, after] = [claimsOf(token), claimsOf(body['session_token'])];
    for (const name of ['sid', 'sub', 'exp', 'auth_time', 'auth_method', 'acr', 'amr', 'iss']) {
      expect(after[name]).toEqual(before[name]);
    }
    expect(after['jti']).not.toBe(before['jti']);
    expect(body).toMatchObject({
      token_type: 'Bearer',
      auth_method: method,
      account_id: foreign.account_id,
      roles: ['VIEWER'],
      poly_user_id: polyUserId,
      expires_at: new Date(Number(before['exp']) * 1000).toISOString(),
    });
    const ids = (body['accounts'] as { account_id: number }[]).map((one) => one.account_id);
    expect(ids).toEqual([own.account_id, foreign.account_id]);
  });

  it('has the roles of the other account there, and the old token still works', async () => {
    const { token } = await open();
    const { body } = await switchTo(token, foreign.account_id);
    const there = String(body['session_token']);
    const create = (as: string, appId: string): Promise<Answer> =>
      call('PUT', `/v2/link/${appId}`, { token: as, body: {} });
    expect((await create(there, foreign.app_id)).status).toBe(403);
    expect((await create(there, own.app_id)).status).toBe(404);
    expect((await create(token, own.app_id)).status).toBe(200);
  });

  it('uses the current roles of the membership', async () => {
    const { polyUserId, token } = await open();
    await db.query(
      `UPDATE memberships SET roles = '{ADMIN}' WHERE poly_user_id = $1 AND account_id = $2`,
      [polyUserId, foreign.account_id],
    );
    expect((await switchTo(token, foreign.account_id)).body['roles']).toEqual(['ADMIN']);
  });

  it('gets 401 without a membership, whether or not the account exists', async () => {
    const { polyUserId, token } = await open();
    await db.query('DELETE FROM memberships WHERE poly_user_id = $1 AND account_id = $2', [
      polyUserId,
      foreign.account_id,
    ]);
    const answers = [
      await switchTo(token, foreign.account_id),
      await switchTo(token, 2_000_000_000),
    ];
    for (const { status, body } of answers) {
      expect([status, body['code']]).toEqual([401, 'membership_required']);
    }
  });

  it('gets 401 for a disabled account, with the same text as for a foreign one', async () => {
    const { polyUserId, token } = await open();
    const closed = await newAccount(`switch-closed-${method}-${process.pid}-${Date.now()}`);
    await addMembership(db, [polyUserId, closed.account_id, ['MEMBER'], new Date()]);
    expect((await switchTo(token, closed.account_id)).status).toBe(200);
    await db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [
      closed.account_id,
    ]);
    const [disabled, unknown] = [
      await switchTo(token, closed.account_id),
      await switchTo(token, 2_000_000_000),
    ];
    expect([disabled.status, disabled.body['code']]).toEqual([401, 'membership_required']);
    expect(disabled.body['detail']).toBe(unknown.body['detail']);
  });

  it('ends in every account at once', async () => {
    const { token } = await open();
    const { body } = await switchTo(token, foreign.account_id);
    const { sid } = claimsOf(token);
    await db.query('UPDATE sessions SET revoked_at = now() WHERE sid = $1', [sid]);
    const { status } = await switchTo(String(body['session_token']), own.account_id);
    expect(status).toBe(401);
  });
});

describe('session.switchAccount', () => {
  it.each([[{}], [{ account_id: 'one' }], [{ account_id: 0 }], [{ account_id: 2 ** 31 }], [null]])(
    'rejects %j with 422',
    async (body) => {
      const { token } = await emailSession();
      expect((await call('POST', path, { token, body })).status).toBe(422);
    },
  );

  it('refuses API keys and callers without a session', async () => {
    expect((await switchTo(own.api_key, own.account_id)).status).toBe(401);
    expect((await call('POST', path, { body: { account_id: 1 } })).status).toBe(401);
  });

  it('refuses a POLYADMIN without a membership', async () => {
    const { token } = await newEmailUser(db, { [own.account_id]: ['POLYADMIN'] });
    expect((await switchTo(token, foreign.account_id)).status).toBe(401);
  });
});
