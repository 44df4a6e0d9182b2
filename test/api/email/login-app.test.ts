import { afterAll, describe, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { askLogin, logIn, newAddress, tokenTo } from '../../support/people/mailbox.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const verify = (body: unknown, cookie?: string): Promise<Answer> =>
  call('POST', '/v2/email/login/verify', { body, ...(cookie ? { headers: { cookie } } : {}) });
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];

describe('an email login requested by an app', () => {
  it('opens in the account of the app, or in the person’s only account', async () => {
    const address = newAddress();
    const { body } = await logIn(address);
    const values = [body['poly_user_id'], own.account_id, ['MEMBER'], new Date()];
    await addMembership(db, values);
    const inOnly = await logIn(newAddress());
    expect(inOnly.body['account_id']).toBeNull();
    const { cookie } = await askLogin({ email: address });
    const only = await verify({ token: await tokenTo(address, 2) }, cookie);
    expect([only.body['account_id'], only.body['roles']]).toEqual([own.account_id, ['MEMBER']]);
    const asked = await askLogin({ email: address, app_id: foreign.app_id });
    const inForeign = await verify({ token: await tokenTo(address, 3) }, asked.cookie);
    expect([inForeign.body['account_id'], inForeign.body['accounts']]).toEqual([null, []]);
  });

  it('is limited to the account of the app', async () => {
    const address = newAddress();
    const { body } = await logIn(address);
    for (const { account_id } of [own, foreign]) {
      await addMembership(db, [body['poly_user_id'], account_id, ['MEMBER'], new Date()]);
    }
    const { cookie } = await askLogin({ email: address, app_id: foreign.app_id });
    const answer = await verify({ token: await tokenTo(address, 2) }, cookie);
    expect([answer.status, answer.body['account_id'], answer.body['accounts']]).toEqual([
      200,
      foreign.account_id,
      [expect.objectContaining({ account_id: foreign.account_id })],
    ]);
    const token = String(answer.body['session_token']);
    const elsewhere = { token, body: { account_id: own.account_id } };
    const switched = await call('POST', '/v2/session/switch_account', elsewhere);
    expect(outcome(switched)).toEqual([401, 'membership_required']);
    const whole = await call('GET', '/v2/email/link', { token });
    expect(outcome(whole)).toEqual([403, 'own_sign_in_required']);
  });

  it('is invalid if the app was archived meanwhile', async () => {
    const account = await newAccount(`archived-${process.pid}-${Date.now()}`);
    const address = newAddress();
    const { cookie } = await askLogin({ email: address, app_id: account.app_id });
    const token = await tokenTo(address);
    const path = `/v2/accounts/${account.account_id}/apps/${account.app_id}`;
    expect((await call('DELETE', path, { token: account.api_key })).status).toBe(200);
    expect(outcome(await verify({ token }, cookie))).toEqual([401, 'email_token_invalid']);
  });
});
