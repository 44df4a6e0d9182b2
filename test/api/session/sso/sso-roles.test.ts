import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enterAccount } from '../../../../activities/identity/sso/enter-account.ts';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { transaction } from '../../../../db/client.ts';
import { randomIds } from '../../../../db/ids.ts';
import { lockAccount } from '../../../../db/queries/accounts.ts';
import { findSsoProvider } from '../../../../db/queries/sso-providers.ts';
import type { Role } from '../../../../domain/names.ts';
import { call, type Answer } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { audited } from '../../../support/people/audited.ts';
import { newCertUser } from '../../../support/people/cert-users.ts';
import { newEmailUser } from '../../../support/people/email-users.ts';
import {
  accessToken,
  claimsOf,
  endSignIn,
  exchange,
  newProvider,
  putProvider,
  ssoClient,
  startSignIn,
  type KeyedIssuer,
} from '../../../support/people/sso.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
const mark = `roles-${process.pid}-${Date.now()}`;
let idp: KeyedIssuer;
let account: Seed;
beforeAll(async () => {
  ({ idp, account } = await startSignIn(db, mark));
});
afterAll(async () => {
  await endSignIn(idp);
  await db.end();
});

const newName = (): string => newProvider(mark);
const put = (of: Pick<Seed, 'account_id' | 'api_key'> = account): Promise<string> =>
  putProvider(newName(), { issuer: idp.issuer.issuer }, of);
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
async function membershipOf(userId: unknown, accountId = account.account_id): Promise<unknown> {
  const { rows } = await db.query(
    'SELECT roles FROM memberships WHERE poly_user_id = $1 AND account_id = $2',
    [userId, accountId],
  );
  return rows[0]?.roles ?? null;
}

describe('roles from provider groups', () => {
  let provider: string;
  let sub: string;
  let person: unknown;
  const enter = (groups: readonly string[]): Promise<Answer> =>
    exchange(provider, accessToken(idp, { sub, groups }));
  beforeEach(async () => {
    provider ??= await put();
    sub = randomIds.make('sub');
    person = claimsOf(await enter(['staff']))['sub'];
  });
  const actions = async (): Promise<string[]> =>
    (await audited(account))
      .filter(({ object_id }) => object_id === person)
      .map(({ action }) => action);

  it('follow the groups up and down at each sign-in', async () => {
    expect(claimsOf(await enter(['admins']))['roles']).toEqual(['ADMIN']);
    expect(await membershipOf(person)).toEqual(['ADMIN']);
    const admin = String((await enter(['admins'])).body['session_token']);
    expect(claimsOf(await enter(['readers']))['roles']).toEqual(['VIEWER']);
    expect(await membershipOf(person)).toEqual(['VIEWER']);
    // The session with the former roles can no longer grant any.
    const invited = await call('POST', `/v2/accounts/${account.account_id}/members`, {
      token: admin,
      body: { poly_user_id: account.subject.poly_user_id, roles: ['VIEWER'] },
    });
    expect(invited.status).toBe(401);
    expect(await actions()).toEqual([
      'member.updated',
      'member.updated',
      'sso_subject.bound',
      'member.added',
    ]);
  });

  it('end the membership and its sessions when the last group is lost', async () => {
    const token = String((await enter(['staff'])).body['session_token']);
    expect(outcome(await enter([]))).toEqual([401, 'credential_invalid']);
    expect(await membershipOf(person)).toBeNull();
    expect((await actions())[0]).toBe('member.removed');
    const { account_id } = account;
    const switched = await call('POST', '/v2/session/switch_account', {
      token,
      body: { account_id },
    });
    expect(outcome(switched)).toEqual([401, 'credential_invalid']);
    expect(claimsOf(await enter(['staff']))['sub']).toBe(person);
  });

  it('only narrow the roles that an ADMIN has set', async () => {
    const path = `/v2/accounts/${account.account_id}/members/${String(person)}`;
    const set = (roles: readonly Role[]): Promise<Answer> =>
      call('PATCH', path, { token: account.api_key, body: { roles } });
    await set(['VIEWER', 'REVIEWER']);
    expect(claimsOf(await enter(['admins']))['roles']).toEqual(['VIEWER', 'REVIEWER']);
    expect(claimsOf(await enter(['staff']))['roles']).toEqual(['VIEWER']);
    expect(outcome(await enter([]))).toEqual([401, 'credential_invalid']);
    expect(await membershipOf(person)).toEqual(['VIEWER', 'REVIEWER']);
    await set(['ADMIN']);
    expect((await enter(['staff'])).status).toBe(401);
    expect(await membershipOf(person)).toEqual(['ADMIN']);
  });

  it('never remove the last ADMIN of the account', async () => {
    const { account_id, api_key } = await newAccount(`last-${mark}`);
    const name = await put({ account_id, api_key });
    const at = (groups: readonly string[]): Promise<Answer> =>
      exchange(name, accessToken(idp, { sub, groups }));
    const only = claimsOf(await at(['admins', 'readers']))['sub'];
    await db.query('DELETE FROM memberships WHERE account_id = $1 AND poly_user_id <> $2', [
      account_id,
      only,
    ]);
    expect(claimsOf(await at(['readers']))['roles']).toEqual(['VIEWER']);
    expect(await membershipOf(only, account_id)).toEqual(['VIEWER', 'ADMIN']);
    expect((await at([])).status).toBe(401);
    expect(await membershipOf(only, account_id)).toEqual(['VIEWER', 'ADMIN']);
    await newEmailUser(db, { [account_id]: ['ADMIN'] });
    expect((await at([])).status).toBe(401);
    expect(await membershipOf(only, account_id)).toBeNull();
  });

  it('never exceed the ceiling, not even POLYADMIN', async () => {
    const at = `/v2/accounts/${account.account_id}/sso-providers/${newName()}`;
    const name = at.slice(at.lastIndexOf('/') + 1);
    const given = {
      kind: 'jwt',
      issuer: idp.issuer.issuer,
      client_id: ssoClient.clientId,
      group_roles: { operators: 'POLYADMIN' },
      role_ceiling: 'POLYADMIN',
    };
    const polyadmin = (await newCertUser(db, foreign.account_id, ['POLYADMIN'])).token;
    const refused = await call('PUT', at, { token: account.api_key, body: given });
    expect(outcome(refused)).toEqual([403, 'role_required']);
    expect((await call('PUT', at, { token: polyadmin, body: given })).status).toBe(201);
    const token = accessToken(idp, { groups: ['operators'] });
    expect(claimsOf(await exchange(name, token))['roles']).toEqual(['POLYADMIN']);
    // A row with roles above its ceiling grants none beyond it.
    await db.query(`UPDATE sso_providers SET role_ceiling = 'ADMIN' WHERE provider = $1`, [name]);
    expect((await exchange(name, token)).status).toBe(401);
  });

  it('are refused if the provider changed during the sign-in', async () => {
    const row = await findSsoProvider(db, provider);
    if (!row) throw new Error('the provider is gone');
    const judgedBy = { ...row, updated_at: new Date(0) };
    const entering = { digest: randomIds.bytes(32), address: null, roles: ['MEMBER'] as const };
    const entered = transaction(db, async (tx) =>
      enterAccount(
        tx,
        { ids: randomIds, now: new Date() },
        await lockAccount(tx, account.account_id),
        judgedBy,
        entering,
      ),
    );
    await expect(async () => entered).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });
});
