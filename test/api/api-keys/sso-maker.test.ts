import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { emailSession, signInBy } from '../../support/people/email-users.ts';
import { newAddress } from '../../support/people/mailbox.ts';
import {
  accessToken,
  endSignIn,
  exchange,
  newProvider,
  putProvider,
  startSignIn,
  type KeyedIssuer,
} from '../../support/people/sso.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const mark = `maker-${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
let polyadmin: Pick<Seed, 'account_id' | 'api_key'>;
beforeAll(async () => {
  ({ idp, account, polyadmin } = await startSignIn(db, mark));
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

interface Made {
  readonly address: string;
  readonly provider: string;
  readonly polyUserId: string;
  /** The key created in the session, and a key created with that key. */
  readonly keys: readonly string[];
}

const keysPath = (): string => `/v2/accounts/${account.account_id}/api-keys`;
const makeKey = (token: string): Promise<Answer> =>
  call('POST', keysPath(), { token, body: { name: 'made', roles: ['ADMIN'] } });
const signIn = ({ address, provider }: Pick<Made, 'address' | 'provider'>, groups: string[]) => {
  const claims = { sub: address, email: address, email_verified: true, groups };
  return exchange(provider, accessToken(idp, claims));
};
const statusesOf = (keys: readonly string[]): Promise<number[]> =>
  Promise.all(keys.map(async (token) => (await call('GET', keysPath(), { token })).status));

/** Returns keys created by an ADMIN of a provider group, in a session stepped up with a phone. */
async function makeKeys(): Promise<Made> {
  const provider = await putProvider(
    newProvider(mark),
    { issuer: idp.issuer.issuer, email_domains: ['example.test'] },
    polyadmin,
  );
  const made = { address: newAddress(), provider };
  const { polyUserId } = await signInBy(db, made.address);
  const phone = await newPhone();
  await enroll(phone, {}, { token: await emailSession(db, polyUserId) });
  const session = await signIn(made, ['admins']);
  const token = String(session.body['session_token']);
  expect((await makeKey(token)).body['code']).toBe('step_up_required');
  const raised = await call('POST', '/v2/session/step_up', {
    token,
    body: { raw_jwt: await goodBundle(phone) },
  });
  const first = await makeKey(String(raised.body['session_token']));
  expect([first.status, first.body['sso_provider'], first.body['created_by']]).toEqual([
    201,
    provider,
    polyUserId,
  ]);
  const second = await makeKey(String(first.body['api_key']));
  expect(second.body['created_by']).toBe(first.body['key_id']);
  const keys = [first, second].map(({ body }) => String(body['api_key']));
  expect(await statusesOf(keys)).toEqual([200, 200]);
  return { ...made, polyUserId, keys };
}

describe('a key created in an SSO session, and a key created with it', () => {
  it('end when their creator leaves the ADMIN group', async () => {
    const made = await makeKeys();
    const again = await signIn(made, ['staff']);
    expect(again.status).toBe(200);
    expect(await statusesOf(made.keys)).toEqual([401, 401]);
  });

  it('end with the membership of their creator', async () => {
    const made = await makeKeys();
    const path = `/v2/accounts/${account.account_id}/members/${made.polyUserId}`;
    expect((await call('DELETE', path, { token: account.api_key })).status).toBe(200);
    expect(await statusesOf(made.keys)).toEqual([401, 401]);
  });

  it('end when the provider is removed, and stay ended if it is created again', async () => {
    const made = await makeKeys();
    const path = `/v2/accounts/${account.account_id}/sso-providers/${made.provider}`;
    expect((await call('DELETE', path, { token: account.api_key })).status).toBe(200);
    expect(await statusesOf(made.keys)).toEqual([401, 401]);
    await putProvider(
      made.provider,
      { issuer: idp.issuer.issuer, email_domains: ['example.test'] },
      polyadmin,
    );
    // The creator is an ADMIN by a new provider of the same name; the old keys stay ended.
    expect((await signIn(made, ['admins'])).status).toBe(200);
    expect(await statusesOf(made.keys)).toEqual([401, 401]);
  });
});

describe('a key created with an operator’s key', () => {
  it('depends on no provider', async () => {
    const { body } = await makeKey(account.api_key);
    expect([body['sso_provider'], body['created_by']]).toEqual([
      null,
      account.api_key.slice(0, 'tk_live_'.length + 12),
    ]);
  });
});
