import { afterAll, describe, expect, it } from 'vitest';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { changedBundle, goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { agedBy, newCertUser } from '../../support/people/cert-users.ts';
import { emailSession, newEmailUser, signInBy } from '../../support/people/email-users.ts';
import { newAddress } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const refused = [403, 'step_up_required'];
const keysOf = (accountId: number): string => `/v2/accounts/${accountId}/api-keys`;
const makeKey = (token: string, accountId = own.account_id): Promise<Answer> =>
  call('POST', keysOf(accountId), { token, body: { name: 'a key', roles: ['VIEWER'] } });
const tokenOf = ({ body }: Answer): string => String(body['session_token']);

describe('an operation that needs a recent proof of a device', () => {
  it('refuses an ADMIN who signed in by email, and explains how to continue', async () => {
    const { token } = await newEmailUser(db, { [own.account_id]: ['ADMIN'] });
    const answer = await makeKey(token);
    expect(outcome(answer)).toEqual(refused);
    expect(answer.body['max_age_seconds']).toBe(900);
    expect(answer.body['detail']).toContain('POST /v2/session/step_up');
  });

  it('accepts a proof for less than 15 minutes', async () => {
    const { token } = await newCertUser(db, own.account_id, ['ADMIN']);
    expect(outcome(await makeKey(agedBy(token, 900)))).toEqual(refused);
    expect((await makeKey(agedBy(token, 840))).status).toBe(201);
  });

  it('does not reveal to strangers that an account exists', async () => {
    const { token } = await newEmailUser(db, { [own.account_id]: ['ADMIN'] });
    expect(outcome(await makeKey(token, foreign.account_id))).toEqual([404, 'not_found']);
    const { token: viewer } = await newEmailUser(db, { [own.account_id]: ['VIEWER'] });
    expect(outcome(await makeKey(viewer))).toEqual([403, 'role_required']);
  });

  it('is allowed after a step-up; the age of the proof carries over to other accounts', async () => {
    const phone = await enrolledPhone();
    const id = phone.enrolled?.polyUserId ?? '';
    for (const { account_id } of [own, foreign]) {
      await db.query(
        `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
         VALUES ($1, $2, '{ADMIN}', now())`,
        [id, account_id],
      );
    }
    const mailed = await emailSession(db, id, { [own.account_id]: ['ADMIN'] });
    expect(outcome(await makeKey(mailed))).toEqual(refused);
    const raised = await call('POST', '/v2/session/step_up', {
      token: mailed,
      body: { raw_jwt: await goodBundle(phone) },
    });
    expect((await makeKey(tokenOf(raised))).status).toBe(201);
    const body = { account_id: foreign.account_id };
    const switched = async (token: string): Promise<string> =>
      tokenOf(await call('POST', '/v2/session/switch_account', { token, body }));
    const elsewhere = await switched(tokenOf(raised));
    expect((await makeKey(elsewhere, foreign.account_id)).status).toBe(201);
    const old = await switched(agedBy(tokenOf(raised), 901));
    expect(outcome(await makeKey(old, foreign.account_id))).toEqual(refused);
    // A session of cert assurance can prove its device again; its expiry does not change.
    const renewed = await call('POST', '/v2/session/step_up', {
      token: old,
      body: { raw_jwt: await goodBundle(phone) },
    });
    expect((await makeKey(tokenOf(renewed), foreign.account_id)).status).toBe(201);
    expect(renewed.body['expires_at']).toBe(raised.body['expires_at']);
  });

  it('refuses a session opened with a bundle whose proof is too old', async () => {
    const phone = await enrolledPhone();
    await db.query(
      `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
       VALUES ($1, $2, '{ADMIN}', now())`,
      [phone.enrolled?.polyUserId, own.account_id],
    );
    const auth_time = Math.floor(Date.now() / 1000) - 20 * 60;
    const signedIn = await portalLogin(changedBundle(phone, { claims: { auth_time } }));
    expect(outcome(await makeKey(tokenOf(signedIn)))).toEqual(refused);
  });

  it('does not replay its answer to a session without a recent proof', async () => {
    const { token, polyUserId } = await newCertUser(db, own.account_id, ['ADMIN']);
    const ask = (by: string): Promise<Answer> =>
      call('POST', keysOf(own.account_id), {
        token: by,
        body: { name: 'once', roles: ['VIEWER'] },
        headers: { 'idempotency-key': `once-${polyUserId}` },
      });
    expect((await ask(token)).status).toBe(201);
    expect(outcome(await ask(agedBy(token, 901)))).toEqual(refused);
  });
});

describe('a person’s own devices, login emails and memberships', () => {
  it('cannot be removed by an email session if the person has a device', async () => {
    const phone = await enrolledPhone();
    const { deviceId, polyUserId = '' } = phone.enrolled ?? {};
    const address = newAddress();
    const { polyUserId: other, identityId } = await signInBy(db, address);
    await db.query('UPDATE login_emails SET poly_user_id = $2 WHERE poly_user_id = $1', [
      other,
      polyUserId,
    ]);
    const token = await emailSession(db, polyUserId);
    const paths = [`/v2/devices/${deviceId}`, `/v2/email/link/${identityId}`];
    for (const path of paths)
      expect(outcome(await call('DELETE', path, { token }))).toEqual(refused);
    const { rows } = await db.query(
      `SELECT (SELECT revoked_at FROM devices WHERE device_id = $1) AS revoked_at,
         (SELECT status FROM login_emails WHERE identity_id = $2) AS status`,
      [deviceId, identityId],
    );
    expect(rows).toEqual([{ revoked_at: null, status: 'ACTIVE' }]);
    const byPhone = tokenOf(await portalLogin(await goodBundle(phone)));
    for (const path of paths.toReversed()) {
      const aged = await call('DELETE', path, { token: agedBy(byPhone, 901) });
      expect(outcome(aged)).toEqual(refused);
      expect((await call('DELETE', path, { token: byPhone })).status).toBe(200);
    }
  });

  it('cannot be left by an email session if the person has a device', async () => {
    const phone = await enrolledPhone();
    const { polyUserId = '' } = phone.enrolled ?? {};
    await db.query(
      `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
       VALUES ($1, $2, '{ADMIN}', now())`,
      [polyUserId, own.account_id],
    );
    const path = `/v2/accounts/${own.account_id}/membership`;
    const mailed = await emailSession(db, polyUserId);
    expect(outcome(await call('DELETE', path, { token: mailed }))).toEqual(refused);
    const token = tokenOf(await portalLogin(await goodBundle(phone)));
    expect((await call('DELETE', path, { token })).status).toBe(200);
  });

  it('can be removed by an email session if the person has no device', async () => {
    const { polyUserId, identityId } = await signInBy(db, newAddress());
    const { identityId: second } = await signInBy(db, newAddress());
    await db.query('UPDATE login_emails SET poly_user_id = $1 WHERE identity_id = $2', [
      polyUserId,
      second,
    ]);
    const token = await emailSession(db, polyUserId);
    const removed = await call('DELETE', `/v2/email/link/${identityId}`, { token });
    expect(removed.body['status']).toBe('REVOKED');
  });
});
