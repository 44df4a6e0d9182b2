import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../../db/ids.ts';
import { enrolledPhone } from '../../../support/checks/phone.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import { goodBundle, type Members } from '../../../support/keys/bundles.ts';
import { audited } from '../../../support/people/audited.ts';
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

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `people-${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
let plain: string;
let vouched: string;
let polyadmin: Pick<Seed, 'account_id' | 'api_key'>;
beforeAll(async () => {
  ({ idp, account, polyadmin } = await startSignIn(db, mark));
  const { issuer } = idp.issuer;
  plain = await putProvider(newProvider(mark), { issuer }, account);
  const domains = { email_domains: ['example.test'] };
  vouched = await putProvider(newProvider(mark), { issuer, ...domains }, polyadmin);
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const newSubject = (): string => randomIds.make('sub');
const withEmail = (email: string, claims: Members = {}): string =>
  accessToken(idp, { email, email_verified: true, ...claims });
const personOf = async (provider: string, token: string): Promise<unknown> => {
  const answer = await exchange(provider, token);
  return answer.status === 200 ? claimsOf(answer)['sub'] : answer.body['code'];
};

/** Returns a person with two addresses and a session, and a provider token for one of them. */
async function twiceKnown(): Promise<{ token: string; own: string; identityId: number }> {
  const address = newAddress();
  const { polyUserId, identityId } = await signInBy(db, address);
  const other = await signInBy(db, newAddress());
  await db.query('UPDATE login_emails SET poly_user_id = $1 WHERE identity_id = $2', [
    polyUserId,
    other.identityId,
  ]);
  const own = await emailSession(db, polyUserId);
  return { token: withEmail(address), own, identityId };
}

describe('an address for which a provider is trusted', () => {
  it('identifies the person who signs in with it by email', async () => {
    const address = newAddress();
    const { polyUserId } = await signInBy(db, address);
    const sub = newSubject();
    const token = withEmail(` ${address.toUpperCase()}. `, { sub });
    expect(await personOf(vouched, token)).toBe(polyUserId);
    // From then on the subject identifies the person.
    expect(await personOf(vouched, accessToken(idp, { sub }))).toBe(polyUserId);
    expect((await signInBy(db, address)).polyUserId).toBe(polyUserId);
  });

  it('becomes a new login email if it was unknown, and the account gets an event', async () => {
    const address = newAddress();
    const answer = await exchange(vouched, withEmail(address));
    const { sub: person } = claimsOf(answer);
    const { polyUserId, identityId } = await signInBy(db, address);
    expect(polyUserId).toBe(person);
    const { rows } = await db.query(
      'SELECT type, data FROM events WHERE account_id = $1 AND object_id = $2',
      [account.account_id, person],
    );
    expect(rows.map(({ type }) => type)).toEqual(['identity.email_linked']);
    expect(JSON.stringify(rows[0])).toContain(String(identityId));
    expect(JSON.stringify(rows[0])).not.toContain(address);
    const [bound] = (await audited(account)).filter(({ object_id }) => object_id === person);
    expect([bound?.action, bound?.details]).toEqual([
      'sso_subject.bound',
      { provider: vouched, identity_id: identityId },
    ]);
  });

  it('is refused after its revocation, which ends the sessions opened through it', async () => {
    const { token, own, identityId } = await twiceKnown();
    const use = ({ body }: Answer): Promise<Answer> =>
      call('GET', '/v2/accounts', { token: String(body['session_token']) });
    const [first, second] = [await exchange(vouched, token), await exchange(vouched, token)];
    expect((await use(first)).status).toBe(200);
    const revoked = await call('DELETE', `/v2/email/link/${identityId}`, { token: own });
    expect(revoked.body['status']).toBe('REVOKED');
    expect(await personOf(vouched, token)).toBe('credential_invalid');
    // The first session is cached for half a minute, the second is not.
    expect(outcome(await use(second))).toEqual([401, 'credential_invalid']);
    const { rows } = await db.query(
      'SELECT 1 FROM sessions WHERE identity_id = $1 AND revoked_at IS NULL',
      [identityId],
    );
    expect(rows).toEqual([]);
  });

  it('leaves no session when exchanges run concurrently with its revocation', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { token, own, identityId } = await twiceKnown();
      expect((await exchange(vouched, token)).status).toBe(200);
      const [revoked] = await Promise.all([
        call('DELETE', `/v2/email/link/${identityId}`, { token: own }),
        ...Array.from({ length: 6 }, () => exchange(vouched, token)),
      ]);
      expect(revoked.status).toBe(200);
      const { rows } = await db.query(
        'SELECT sid FROM sessions WHERE identity_id = $1 AND revoked_at IS NULL',
        [identityId],
      );
      expect(rows).toEqual([]);
    }
  });

  it('does not identify another subject to whom the issuer reassigned it', async () => {
    const address = newAddress();
    const first = await personOf(vouched, withEmail(address));
    expect(first).toMatch(/^pu_/);
    expect(await personOf(vouched, withEmail(address))).toBe('credential_invalid');
    const { rows } = await db.query(
      'SELECT count(*)::int AS n FROM memberships WHERE poly_user_id = $1',
      [first],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  it('is trusted only while its domain is configured', async () => {
    const name = newProvider(mark);
    const { issuer } = idp.issuer;
    await putProvider(name, { issuer, email_domains: ['example.test'] }, polyadmin);
    const token = withEmail(newAddress());
    const person = await personOf(name, token);
    await putProvider(name, { issuer }, account);
    expect(await personOf(name, token)).toBe('credential_invalid');
    await putProvider(name, { issuer, email_domains: ['example.test'] }, polyadmin);
    expect(await personOf(name, token)).toBe(person);
  });

  it('follows its owner after adoption by a person with a device', async () => {
    const address = newAddress();
    const token = withEmail(address);
    const lent = String((await exchange(vouched, token)).body['session_token']);
    const { polyUserId } = await signInBy(db, address);
    const session = await emailSession(db, polyUserId);
    const device = await enrolledPhone();
    // A provider session does not suffice, since all accounts of the person would move.
    const refused = await call('POST', '/v2/session/step_up', {
      token: lent,
      body: { raw_jwt: await goodBundle(device) },
    });
    expect(outcome(refused)).toEqual([403, 'own_sign_in_required']);
    const raised = await call('POST', '/v2/session/step_up', {
      token: session,
      body: { raw_jwt: await goodBundle(device) },
    });
    expect(raised.body).toMatchObject({ auth_method: 'cert', adopted_poly_user_id: polyUserId });
    expect(await personOf(vouched, token)).toBe(device.enrolled?.polyUserId);
  });
});

describe('an address for which no provider is trusted', () => {
  it.each<[string, Members, 'plain' | 'vouched']>([
    ['of a provider that is not believed', {}, 'plain'],
    ['that its issuer has not verified', { email_verified: false }, 'vouched'],
    ['that is verified by a word', { email_verified: 'true' }, 'vouched'],
    ['of another domain', { email: `admin-${mark}@other.test` }, 'vouched'],
  ])('%s identifies no known person', async (_what, claims, which) => {
    const address = typeof claims['email'] === 'string' ? claims['email'] : newAddress();
    const { polyUserId } = await signInBy(db, address);
    const person = await personOf(which === 'plain' ? plain : vouched, withEmail(address, claims));
    expect(person).toMatch(/^pu_/);
    expect(person).not.toBe(polyUserId);
    const { rows } = await db.query('SELECT 1 FROM login_emails WHERE poly_user_id = $1', [person]);
    expect(rows).toEqual([]);
  });

  it('gives the account no person with a device: after adoption a new person is created', async () => {
    const token = accessToken(idp);
    const entered = await exchange(plain, token);
    const before = claimsOf(entered)['sub'];
    const device = await enrolledPhone();
    const adopter = device.enrolled?.polyUserId;
    const raised = await call('POST', '/v2/session/step_up', {
      token: String(entered.body['session_token']),
      body: { raw_jwt: await goodBundle(device) },
    });
    expect(raised.body).toMatchObject({
      auth_method: 'cert',
      account_id: account.account_id,
      roles: ['MEMBER'],
      poly_user_id: adopter,
      adopted_poly_user_id: before,
    });
    const after = await personOf(plain, token);
    expect(after).toMatch(/^pu_/);
    expect([before, adopter]).not.toContain(after);
    expect(await personOf(plain, token)).toBe(after);
    // The moved membership is valid only in sessions of the provider.
    const { rows } = await db.query(
      'SELECT roles, managed_by FROM memberships WHERE poly_user_id = $1',
      [adopter],
    );
    expect(rows).toEqual([{ roles: ['MEMBER'], managed_by: plain }]);
  });
});

describe('a subject who never had a role', () => {
  it('leaves no data', async () => {
    const count = async (): Promise<unknown> => {
      const { rows } = await db.query(
        `SELECT (SELECT count(*) FROM sso_subjects WHERE account_id = $1) AS subjects,
           (SELECT count(*) FROM memberships WHERE account_id = $1) AS members,
           (SELECT count(*) FROM audit_rows WHERE account_id = $1) AS rows`,
        [account.account_id],
      );
      return rows;
    };
    const before = await count();
    const address = newAddress();
    const refused = await exchange(vouched, withEmail(address, { groups: ['strangers'] }));
    expect(outcome(refused)).toEqual([401, 'credential_invalid']);
    expect(await count()).toEqual(before);
  });
});
