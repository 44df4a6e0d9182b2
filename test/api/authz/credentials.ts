import { join } from 'node:path';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { mintCheckToken } from '../../../activities/tokens/check-token.ts';
import { mintClaimsToken } from '../../../activities/tokens/claims-token.ts';
import { openSession, type SessionRequest } from '../../../activities/tokens/open-session.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addApiKey, addMembership, addUser } from '../../../db/queries/seeding.ts';
import type { Role } from '../../../domain/names.ts';
import { scopes } from '../../../domain/scopes.ts';
import { linkToken } from '../../../domain/tokens/link-token.ts';
import { call, done } from '../../support/http/client.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { scopesOf } from './limits.ts';
import type { PrincipalName } from './principals.ts';
import { newProviderRow, type Stage } from './things.ts';

/** The headers that each principal sends. */
export type Credentials = Readonly<Record<PrincipalName, Readonly<Record<string, string>>>>;

interface Minting {
  readonly db: Db;
  readonly own: Stage;
  readonly foreign: Stage;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const past = new Date(Date.now() - 7 * 24 * 3600_000);

/** Creates a person with this role in the account and returns a session token. */
async function newMember(
  db: Db,
  accountId: number | null,
  role: Role | null,
  more: Partial<SessionRequest> = {},
  kind = more.authMethod ?? 'cert',
  now = new Date(),
): Promise<{ readonly polyUserId: string; readonly token: string }> {
  const { baseUrl, dataDir } = ownPlatform();
  const { tokens } = loadKeys(join(dataDir, 'keys'));
  const polyUserId = randomIds.make('pu');
  const roles = role === null ? [] : [role];
  await addUser(db, [polyUserId, kind, now]);
  if (accountId !== null) await addMembership(db, [polyUserId, accountId, roles, now]);
  const deps = { on: db, tokens, issuer: baseUrl, ids: randomIds };
  const asked = { polyUserId, authMethod: 'cert', accountId, roles, authTime: now } as const;
  const { token } = await openSession(deps, { ...asked, ...more }, now);
  return { polyUserId, token };
}

async function newKey(
  db: Db,
  accountId: number,
  roles: readonly Role[],
  mode: 'live' | 'test' = 'live',
): Promise<{ readonly id: string; readonly key: string }> {
  const made = newApiKey(mode);
  const hash = hashApiKey(made.key);
  const isLive = mode === 'live';
  await addApiKey(db, [made.id, accountId, 'of the matrix', hash, roles, isLive, new Date()]);
  return made;
}

/** Returns a session that is invalidated by this statement before its first use. */
async function lost(db: Db, accountId: number, sql: string): Promise<string> {
  const { polyUserId, token } = await newMember(db, accountId, 'ADMIN');
  await db.query(sql, [polyUserId]);
  return token;
}

async function goodOnes({ db, own, foreign }: Minting) {
  const { account_id } = own.seed;
  const platform = await newAccount(`platform-${randomIds.bytes(4).toString('hex')}`);
  const of = async (role: Role): Promise<Record<string, string>> =>
    bearer((await newMember(db, account_id, role)).token);
  const keyOf = async (role: Role, mode: 'live' | 'test' = 'live') =>
    bearer((await newKey(db, account_id, [role], mode)).key);
  const limited = async (limits: object): Promise<Record<string, string>> => {
    const { api_key: token } = own.seed;
    const body = { name: 'of the matrix', roles: ['ADMIN'], ...limits };
    const path = `/v2/accounts/${account_id}/api-keys`;
    const made = await done('a key', () => call('POST', path, { token, body }));
    return bearer(String(made.body['api_key']));
  };
  await done('an app', () =>
    call('PUT', `/v2/accounts/${account_id}/apps/${own.seed.app_id}-other`, {
      token: own.seed.api_key,
      body: { name: 'Another', kind: 'sdk' },
    }),
  );
  const email = { authMethod: 'email' } as const;
  const stale = { authTime: new Date(Date.now() - 15 * 60_000) };
  const provider = await newProviderRow(db, account_id);
  const lent = await newMember(db, account_id, 'ADMIN', { ...email, provider });
  const shown = await newMember(db, account_id, 'ADMIN', { ...email, confinedTo: account_id });
  return {
    anonymous: {},
    'email MEMBER': bearer((await newMember(db, account_id, 'MEMBER', email)).token),
    VIEWER: await of('VIEWER'),
    MEMBER: await of('MEMBER'),
    REVIEWER: await of('REVIEWER'),
    ADMIN: bearer(own.seed.admin.session_token),
    'email ADMIN': bearer((await newMember(db, account_id, 'ADMIN', email, 'cert')).token),
    'stale ADMIN': bearer((await newMember(db, account_id, 'ADMIN', stale)).token),
    'ADMIN by a provider': bearer(lent.token),
    'ADMIN for an app': bearer(shown.token),
    'foreign ADMIN': bearer(foreign.seed.admin.session_token),
    POLYADMIN: bearer((await newMember(db, platform.account_id, 'POLYADMIN')).token),
    'key VIEWER': await keyOf('VIEWER'),
    'key MEMBER': await keyOf('MEMBER'),
    'key REVIEWER': await keyOf('REVIEWER'),
    'key ADMIN': { 'x-api-key': own.seed.api_key },
    'key of test mode': await keyOf('ADMIN', 'test'),
    'key POLYADMIN': await keyOf('POLYADMIN'),
    'key that reads': await limited({ scopes: scopesOf('read', scopes) }),
    'key that writes': await limited({ scopes: scopesOf('write', scopes) }),
    'key of links': await limited({ scopes: scopesOf('links', scopes) }),
    'key of the app': await limited({ app_ids: [own.seed.app_id, own.things.spareApp] }),
    'key of another app': await limited({ app_ids: [`${own.seed.app_id}-other`] }),
    'foreign key ADMIN': bearer(foreign.seed.api_key),
    'check token': bearer(own.checkToken),
    'check token of another check': bearer(own.otherCheckToken),
    'foreign check token': bearer(foreign.checkToken),
    'join token': bearer(own.joinToken),
    'foreign join token': bearer(foreign.joinToken),
  };
}

async function badOnes({ db, own }: Minting) {
  const { dataDir, baseUrl } = ownPlatform();
  const keys = loadKeys(join(dataDir, 'keys'));
  const { account_id, api_key, admin } = own.seed;
  const ended = await newAccount(`ended-${randomIds.bytes(4).toString('hex')}`);
  await db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [
    ended.account_id,
  ]);
  const [revoked, expired] = [
    await newKey(db, account_id, ['ADMIN']),
    await newKey(db, account_id, ['ADMIN']),
  ];
  await db.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [revoked.id]);
  await db.query('UPDATE api_keys SET expires_at = now() WHERE key_id = $1', [expired.id]);
  const sid = 'UPDATE sessions SET revoked_at = now() WHERE poly_user_id = $1';
  const invite = await call('POST', '/create_invite_exchange_token', {
    body: { raw_jwt: 'a.b.c' },
  });
  const claims = {
    polyUserId: admin.poly_user_id,
    jti: randomIds.make('jti'),
    verifiedClaims: [],
    keyThumbprint: 'x',
    deviceAttestation: null,
  };
  const { id } = own.things;
  return {
    nonsense: bearer('nonsense'),
    'expired session': bearer((await newMember(db, account_id, 'ADMIN', {}, 'cert', past)).token),
    'revoked session': bearer(await lost(db, account_id, sid)),
    'session of a removed member': bearer(
      await lost(db, account_id, 'DELETE FROM memberships WHERE poly_user_id = $1'),
    ),
    'session with a role that was taken': bearer(
      await lost(
        db,
        account_id,
        `UPDATE memberships SET roles = '{VIEWER}' WHERE poly_user_id = $1`,
      ),
    ),
    'session of a disabled account': bearer(ended.admin.session_token),
    'session as X-API-Key': { 'x-api-key': admin.session_token },
    'revoked key': bearer(revoked.key),
    'expired key': bearer(expired.key),
    'altered key': bearer(`${api_key.slice(0, -1)}${api_key.endsWith('0') ? '1' : '0'}`),
    'key of a disabled account': bearer(ended.api_key),
    'expired check token': bearer(
      (await mintCheckToken(keys.tokens, baseUrl, { linkSessionId: id, jkt: 'a key' }, past)).token,
    ),
    'link token': bearer(linkToken(keys.secret('link-token'), own.things.link_uuid)),
    'invite token': bearer(String(invite.body['token'])),
    'verification bundle': bearer(await goodBundle(own.phone)),
    'token of claims': bearer(await mintClaimsToken(keys.tokens, baseUrl, claims, new Date())),
    'session and key': { ...bearer(admin.session_token), 'x-api-key': api_key },
  };
}

/** Mints every credential. Each principal calls from an address of its own. */
export async function mintAll(minting: Minting, subject: string): Promise<Credentials> {
  const made: Record<PrincipalName, Readonly<Record<string, string>>> = {
    ...(await goodOnes(minting)),
    ...(await badOnes(minting)),
    subject: bearer(subject),
  };
  const [a = 0, b = 0] = randomIds.bytes(2);
  const names = Object.keys(made) as PrincipalName[];
  for (const [place, name] of names.entries()) {
    made[name] = { 'x-forwarded-for': `10.${a}.${b}.${place + 1}`, ...made[name] };
  }
  return made;
}

/** Returns an email session of a new person, for operations that end it. */
export async function newEmailSession(db: Db): Promise<string> {
  return (await newMember(db, null, null, { authMethod: 'email' })).token;
}

/** Returns a session of a new member, which may be ended. */
export const newSpareSession = async (db: Db, accountId: number): Promise<string> =>
  (await newMember(db, accountId, 'VIEWER')).token;

/** Returns a new member, who may be removed. */
export async function newSpareMember(db: Db, accountId: number): Promise<string> {
  return (await newMember(db, accountId, 'VIEWER')).polyUserId;
}
