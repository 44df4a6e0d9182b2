import { randomBytes } from 'node:crypto';
import type { PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import { openSession } from '../../activities/tokens/open-session.ts';
import { hashApiKey } from '../../api/http/auth/credentials/api-key.ts';
import type { Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import * as queries from '../../db/queries/seeding.ts';
import type { Role } from '../../domain/names.ts';
import { simulatedApp } from '../../domain/proofs/device/simulated-app.ts';

export interface Person {
  readonly poly_user_id: string;
  readonly email: string;
  readonly session_token: string;
}

/** Initial data of a fresh platform, as `status --secrets --json` shows it. */
export interface Seed {
  readonly account_id: number;
  readonly app_id: string;
  readonly api_key: string;
  readonly admin: Person;
  readonly member: Person;
  readonly subject: Person;
}

export interface SeedDeps {
  readonly db: Db;
  readonly keys: PlatformKeys;
  readonly ids: Ids;
  readonly baseUrl: string;
}

/** Makes an API key: its public id and 160 random bits, shown once. */
export function newApiKey(mode: 'live' | 'test'): { id: string; key: string } {
  const id = `tk_${mode}_${letters(12)}`;
  return { id, key: `${id}_${letters(32)}` };
}

function letters(count: number): string {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  return [...randomBytes(count)].map((byte) => alphabet[byte & 31]).join('');
}

/** Creates an account with an app, an API key and three people. */
export async function seed(deps: SeedDeps, appId: string, now: Date): Promise<Seed> {
  const [account] = await queries.addAccount(deps.db, ['Example account', true, now]);
  if (!account) throw new Error('no account was made');
  const { account_id } = account;
  await queries.addApp(deps.db, [
    appId,
    account_id,
    'Example app',
    true,
    `${deps.baseUrl}/success/by-app/${appId}`,
    [],
    ['device', 'nfc_passport', 'phone'],
    null,
    '1',
    null,
    JSON.stringify(simulatedApp.apple),
    JSON.stringify(simulatedApp.android),
    now,
  ]);
  const { id, key } = newApiKey('live');
  await queries.addApiKey(deps.db, [
    id,
    account_id,
    'first key',
    hashApiKey(key),
    ['ADMIN'],
    true,
    now,
  ]);
  return {
    account_id,
    app_id: appId,
    api_key: key,
    admin: await person(deps, account_id, 'admin', ['ADMIN'], now),
    member: await person(deps, account_id, 'member', ['MEMBER'], now),
    subject: await person(deps, null, 'subject', [], now),
  };
}

async function person(
  deps: SeedDeps,
  accountId: number | null,
  name: string,
  roles: Role[],
  now: Date,
): Promise<Person> {
  const polyUserId = deps.ids.make('pu');
  await queries.addUser(deps.db, [polyUserId, 'cert', now]);
  if (accountId !== null) {
    await queries.addMembership(deps.db, [polyUserId, accountId, roles, now]);
  }
  const token = await newSession(deps, polyUserId, accountId, roles, now);
  return {
    poly_user_id: polyUserId,
    email: `${name}@example.test`,
    session_token: token,
  };
}

/** Opens a session for a person, like a sign-in with a certified key. */
export async function newSession(
  deps: SeedDeps,
  polyUserId: string,
  accountId: number | null,
  roles: readonly Role[],
  now: Date,
): Promise<string> {
  const { token } = await openSession(
    { on: deps.db, tokens: deps.keys.tokens, issuer: deps.baseUrl, ids: deps.ids },
    { polyUserId, authMethod: 'cert', accountId, roles, authTime: now },
    now,
  );
  return token;
}
