import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { addMembership } from '../../../../db/queries/seeding.ts';
import { enroll, newPhone } from '../../../support/checks/phone.ts';
import { call, passedSession, withAffidavit, type Answer } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { emailSession, signInBy } from '../../../support/people/email-users.ts';
import { newAddress } from '../../../support/people/mailbox.ts';
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

const { databaseUrl, foreign, own } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `person-${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
let vouched: string;
beforeAll(async () => {
  const stage = await startSignIn(db, mark);
  ({ idp, account } = stage);
  const domains = { issuer: idp.issuer.issuer, email_domains: ['example.test'] };
  vouched = await putProvider(newProvider(mark), domains, stage.polyadmin);
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const items = ({ body }: Answer): Record<string, unknown>[] =>
  body['items'] as Record<string, unknown>[];

/** Returns a provider session of a person who also belongs to another account. */
async function lentSession(): Promise<{ polyUserId: string; identityId: number; token: string }> {
  const address = newAddress();
  const known = await signInBy(db, address);
  await addMembership(db, [known.polyUserId, foreign.account_id, ['ADMIN'], new Date()]);
  const answer = await exchange(
    vouched,
    accessToken(idp, { email: address, email_verified: true }),
  );
  expect(claimsOf(answer)['sub']).toBe(known.polyUserId);
  return { ...known, token: String(answer.body['session_token']) };
}

describe('a session opened by a provider', () => {
  it('cannot act for the whole person', async () => {
    const { token, identityId } = await lentSession();
    const address = { email: newAddress() };
    const asked = await Promise.all([
      call('GET', '/v2/devices', { token }),
      call('GET', '/v2/logs/me', { token }),
      call('DELETE', '/v2/devices/dev_0123456789abcdefghjkmnpqrs', { token }),
      call('GET', '/v2/email/link', { token }),
      call('DELETE', `/v2/email/link/${identityId}`, { token }),
      call('POST', '/v2/email/link/request', { token, body: address }),
      call('POST', '/v2/email/link/verify', { token, body: { token: 'x'.repeat(43) } }),
    ]);
    expect(asked.map(outcome)).toEqual(asked.map(() => [403, 'own_sign_in_required']));
  });

  it('cannot enroll a device, so no provider can obtain a key to a person', async () => {
    const { token, polyUserId } = await lentSession();
    const device = await newPhone();
    expect(outcome(await enroll(device, {}, { token }))).toEqual([403, 'own_sign_in_required']);
    const { rows } = await db.query('SELECT kind FROM poly_users WHERE poly_user_id = $1', [
      polyUserId,
    ]);
    expect(rows).toEqual([{ kind: 'email' }]);
  });

  it('lists only the provider’s account and its apps', async () => {
    const { token } = await lentSession();
    const accounts = items(await call('GET', '/v2/accounts', { token }));
    expect(accounts.map(({ account_id, roles }) => [account_id, roles])).toEqual([
      [account.account_id, ['MEMBER']],
    ]);
    const apps = items(await call('GET', '/applications', { token }));
    expect(apps.map(({ app_id }) => app_id)).toEqual([account.app_id]);
  });

  it('cannot read what is reserved for the subject', async () => {
    const { token, polyUserId } = await lentSession();
    const theirs = await emailSession(db, polyUserId);
    const session = await passedSession();
    await withAffidavit(session);
    await db.query('UPDATE trust_checks SET poly_user_id = $2 WHERE link_session_id = $1', [
      session.id,
      polyUserId,
    ]);
    const evidence = `/v2/trust-checks/${session.id}/evidence`;
    const affidavit = `/v2/affidavits/${own.app_id}/${session.id}/download`;
    const statuses = async (as: string): Promise<number[]> => [
      (await call('GET', evidence, { token: as })).status,
      (await call('GET', affidavit, { token: as })).status,
    ];
    expect(await statuses(theirs)).toEqual([200, 302]);
    expect(await statuses(token)).toEqual([404, 404]);
  });

  it('can be continued only in its account, with the roles of its groups', async () => {
    const { token, polyUserId } = await lentSession();
    await db.query(
      `UPDATE memberships SET roles = '{MEMBER,ADMIN}', managed_by = NULL
       WHERE poly_user_id = $1 AND account_id = $2`,
      [polyUserId, account.account_id],
    );
    const to = (account_id: number): Promise<Answer> =>
      call('POST', '/v2/session/switch_account', { token, body: { account_id } });
    expect(outcome(await to(foreign.account_id))).toEqual([401, 'membership_required']);
    const { body } = await to(account.account_id);
    expect([body['roles'], body['accounts']]).toEqual([
      ['MEMBER'],
      [expect.objectContaining({ account_id: account.account_id, roles: ['MEMBER'] })],
    ]);
  });

  it('cannot be stepped up with a bundle of another person', async () => {
    const { token, polyUserId } = await lentSession();
    const device = await newPhone();
    expect((await enroll(device)).status).toBe(201);
    const body = { raw_jwt: await goodBundle(device) };
    const raised = await call('POST', '/v2/session/step_up', { token, body });
    expect(outcome(raised)).toEqual([403, 'own_sign_in_required']);
    const { rows } = await db.query('SELECT adopted_by FROM poly_users WHERE poly_user_id = $1', [
      polyUserId,
    ]);
    expect(rows).toEqual([{ adopted_by: null }]);
  });
});

describe('a person created for a subject', () => {
  it('is replaced by a new one after enrolling a device', async () => {
    const plain = await putProvider(newProvider(mark), { issuer: idp.issuer.issuer }, account);
    const token = accessToken(idp);
    const before = claimsOf(await exchange(plain, token))['sub'];
    await db.query(`UPDATE poly_users SET kind = 'cert' WHERE poly_user_id = $1`, [before]);
    const after = claimsOf(await exchange(plain, token))['sub'];
    expect(after).not.toBe(before);
    expect(claimsOf(await exchange(plain, token))['sub']).toBe(after);
  });
});
