import type { Role } from '../../domain/names.ts';
import type { Scope } from '../../domain/scopes.ts';
import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare, total } from '../prepare.ts';
import { apiKeys } from '../schema/accounts.ts';
import { and, isNull } from '../schema/drizzle.ts';
import type { ApiKeyRow } from './credentials.ts';

const { account_id, key_id, revoked_at } = apiKeys;

const insert = statement<ApiKeyRow>(
  'api_keys.insert',
  `INSERT INTO api_keys (key_id, account_id, name, hash, roles, livemode, expires_at, created_at,
     created_by, sso_member, sso_provider, scopes, app_ids)
   VALUES (:key_id, :account_id, :name, :hash, :roles, :livemode, :expires_at, :created_at,
     :created_by, :sso_member, :sso_provider, :scopes, :app_ids)
   ON CONFLICT DO NOTHING RETURNING *`,
);
const find = prepare('api_keys.of_account', { account_id, key_id }, ({ equals }) =>
  build.select().from(apiKeys).where(and(equals.account_id, equals.key_id)),
);
const page = statement<ApiKeyRow>(
  'api_keys.page',
  `SELECT * FROM api_keys WHERE account_id = :accountId
   ORDER BY created_at DESC, key_id LIMIT :limit OFFSET :offset`,
);
const count = prepare('api_keys.count', { account_id }, ({ equals }) =>
  build.select({ total }).from(apiKeys).where(equals.account_id),
);
const revoke = prepare('api_keys.revoke', { account_id, key_id, revoked_at }, ({ by, equals }) =>
  build
    .update(apiKeys)
    .set({ revoked_at: by.revoked_at })
    .where(and(equals.account_id, equals.key_id, isNull(revoked_at)))
    .returning(),
);
const replace = statement<ApiKeyRow>(
  'api_keys.replace',
  `UPDATE api_keys SET replaced_by = :replacedBy, expires_at = least(expires_at, :until)
   WHERE account_id = :accountId AND key_id = :keyId AND replaced_by IS NULL AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > :now)
   RETURNING *`,
);

export interface NewApiKey {
  readonly key_id: string;
  readonly account_id: number;
  readonly name: string;
  readonly hash: Buffer;
  readonly roles: readonly Role[];
  readonly livemode: boolean;
  readonly scopes: readonly Scope[] | null;
  readonly app_ids: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly created_by: string | null;
  readonly sso_member: string | null;
  readonly sso_provider: string | null;
}

/** Returns null if a key with this id exists: a repeated request has already created it. */
export async function addApiKey(tx: Tx, row: NewApiKey): Promise<ApiKeyRow | null> {
  return firstOf(await insert(tx, row));
}

/** Returns a key of this account, revoked or not, or null. */
export async function findKeyOf(
  on: Queryable,
  accountId: number,
  keyId: string,
): Promise<ApiKeyRow | null> {
  return firstOf(await find(on, { account_id: accountId, key_id: keyId }));
}

/** Returns a page of an account's keys, newest first, and the total count. */
export async function listApiKeys(
  on: Queryable,
  accountId: number,
  [limit, offset]: readonly [number, number],
) {
  return withTotal(page(on, { accountId, limit, offset }), count(on, { account_id: accountId }));
}

/** Returns null if the key is already revoked or is not of this account. */
export async function revokeApiKey(
  tx: Tx,
  accountId: number,
  keyId: string,
  now: Date,
): Promise<ApiKeyRow | null> {
  return firstOf(await revoke(tx, { account_id: accountId, key_id: keyId, revoked_at: now }));
}

export interface Replacement {
  readonly accountId: number;
  readonly keyId: string;
  readonly replacedBy: string;
  /** The key expires at this instant, unless it expires earlier. */
  readonly until: Date;
}

/**
 * Records the successor of a key and ends the key no later than `until`. Returns null for a key
 * that is unknown, revoked, expired or already replaced.
 */
export async function replaceApiKey(
  tx: Tx,
  { accountId, keyId, replacedBy, until }: Replacement,
  now: Date,
): Promise<ApiKeyRow | null> {
  return firstOf(await replace(tx, { accountId, keyId, replacedBy, until, now }));
}
