import { afterAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { type EmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

let last = 0;
const fresh = (): Promise<Seed> => newAccount(`last-admin-${process.pid}-${(last += 1)}`);
const outcome = ({ status, body }: Answer): string =>
  [status, body['code']].filter(Boolean).join(' ');
async function adminsOf({ account_id }: Seed): Promise<string[]> {
  const { rows } = await db.query<{ poly_user_id: string }>(
    `SELECT poly_user_id FROM memberships WHERE account_id = $1 AND 'ADMIN' = ANY (roles)`,
    [account_id],
  );
  return rows.map((row) => row.poly_user_id);
}

/** Creates ADMINs sequentially, so that only the tested calls are concurrent. */
async function moreAdmins({ account_id }: Seed, count: number): Promise<EmailUser[]> {
  const made: EmailUser[] = [];
  while (made.length < count) made.push(await newCertUser(db, account_id, ['ADMIN']));
  return made;
}

describe('the last ADMIN', () => {
  it('can be neither demoted nor removed by any caller', async () => {
    const account = await fresh();
    const { poly_user_id: id, session_token: token } = account.admin;
    const path = `/v2/accounts/${account.account_id}/members/${id}`;
    for (const as of [token, account.api_key]) {
      const lowered = await call('PATCH', path, { token: as, body: { roles: ['REVIEWER'] } });
      expect(outcome(lowered)).toBe('409 last_admin');
      expect(outcome(await call('DELETE', path, { token: as }))).toBe('409 last_admin');
    }
    expect(await adminsOf(account)).toEqual([id]);
    // With another ADMIN they can leave.
    const other = await newCertUser(db, account.account_id, ['ADMIN']);
    expect(outcome(await call('DELETE', path, { token }))).toBe('200');
    expect(await adminsOf(account)).toEqual([other.polyUserId]);
  });

  it('remains when fifty ADMINs demote and remove each other concurrently', async () => {
    const account = await fresh();
    const at = `/v2/accounts/${account.account_id}/members`;
    const others = await moreAdmins(account, 49);
    const admins: EmailUser[] = [
      { polyUserId: account.admin.poly_user_id, token: account.admin.session_token },
      ...others,
    ];
    // Each ends the next one in the ring: half by removal, half by demotion.
    const ends = admins.map(({ token }, place) => {
      const target = `${at}/${admins[(place + 1) % admins.length]?.polyUserId ?? ''}`;
      return place % 2 === 0
        ? call('DELETE', target, { token })
        : call('PATCH', target, { token, body: { roles: ['VIEWER'] } });
    });
    const outcomes = (await Promise.all(ends)).map(outcome);
    expect(outcomes.filter((one) => !/^(200|401 credential_invalid)$/.test(one))).toEqual([]);
    expect((await adminsOf(account)).length).toBe(
      admins.length - outcomes.filter((one) => one === '200').length,
    );
    expect((await adminsOf(account)).length).toBeGreaterThan(0);
  });

  it('is one of fifty who are removed concurrently', async () => {
    const account = await fresh();
    const at = `/v2/accounts/${account.account_id}/members`;
    const others = await moreAdmins(account, 49);
    const ids = [account.admin.poly_user_id, ...others.map(({ polyUserId }) => polyUserId)];
    const outcomes = await Promise.all(
      ids.map(async (id) =>
        outcome(await call('DELETE', `${at}/${id}`, { token: account.api_key })),
      ),
    );
    expect(outcomes.toSorted()).toEqual([
      ...Array.from({ length: 49 }, () => '200'),
      '409 last_admin',
    ]);
    expect((await adminsOf(account)).length).toBe(1);
    // Each removal has exactly one row in the audit chain.
    const rows = await audited(account);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 49 }, (_, i) => 49 - i));
    for (const [place, row] of rows.entries()) {
      expect(row.previous_hash).toBe(rows[place + 1]?.hash ?? '0'.repeat(64));
    }
  });
});
