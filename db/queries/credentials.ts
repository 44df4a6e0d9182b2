import type { Role } from '../../domain/names.ts';
import { firstOf, sharing, statement, type Queryable, type Reach } from '../client.ts';
import type { apiKeys, apps } from '../schema/accounts.ts';
import { spendingSql, type Spending } from './spent-tokens.ts';

export type ApiKeyRow = typeof apiKeys.$inferSelect;
export type AppRow = typeof apps.$inferSelect;

/**
 * A key created in a session of a sign-in provider ends when its creator loses the ADMIN role. A
 * later provider with the same name, in this or another account, does not make the key valid again.
 */
const makerStays = `(k.sso_provider IS NULL OR EXISTS (
     SELECT 1 FROM sso_providers p JOIN memberships m USING (account_id)
     WHERE p.provider = k.sso_provider AND p.enabled AND p.created_at <= k.created_at
       AND m.poly_user_id = k.sso_member
       AND (m.managed_by IS NULL OR m.managed_by = k.sso_provider)
       AND m.roles && '{ADMIN,POLYADMIN}'))`;
const keyById = statement<ApiKeyRow>(
  'api_keys.by_id',
  `SELECT k.* FROM api_keys k JOIN accounts a USING (account_id)
   WHERE k.key_id = :keyId AND a.disabled_at IS NULL AND ${makerStays}`,
);
const touchKey = statement(
  'api_keys.touch',
  `UPDATE api_keys SET last_used_at = :now
   WHERE key_id = :keyId
     AND (last_used_at IS NULL OR last_used_at < :now::timestamptz - interval '1 minute')`,
);
/**
 * A session is valid only while its membership has all its roles. A session through a sign-in
 * provider also ends with the provider, and roles from its groups count only in such sessions. A
 * session opened by a device also ends with the device, even if it was opened during the
 * revocation.
 */
const isStillMember = (accountId: string, roles: string, provider: string): string =>
  `(${provider} IS NULL OR EXISTS (
     SELECT 1 FROM sso_providers p
     WHERE p.provider = ${provider} AND p.account_id = ${accountId} AND p.enabled))
   AND (${accountId} IS NULL OR EXISTS (
     SELECT 1 FROM memberships m JOIN accounts a USING (account_id)
     WHERE m.poly_user_id = s.poly_user_id AND m.account_id = ${accountId}
       AND (m.managed_by IS NULL OR m.managed_by = ${provider})
       AND m.roles @> ${roles} AND a.disabled_at IS NULL))
   AND NOT EXISTS (
     SELECT 1 FROM devices d WHERE d.device_id = s.device_id AND d.revoked_at IS NOT NULL)`;
const sessionById = statement<{ sid: string }>(
  'sessions.live',
  `SELECT s.sid FROM sessions s
   WHERE s.sid = :sid AND s.revoked_at IS NULL AND s.expires_at > :now
     AND ${isStillMember(':accountId::int', ':roles::text[]', ':provider::text')}`,
);
const liveKeys = statement<{ place: number }>(
  'api_keys.live',
  `SELECT asked.place
   FROM unnest(:keyIds::text[], :roles::text[]) WITH ORDINALITY asked (id, roles, place)
   JOIN api_keys k ON k.key_id = asked.id JOIN accounts a USING (account_id)
   WHERE k.revoked_at IS NULL AND a.disabled_at IS NULL
     AND (k.expires_at IS NULL OR k.expires_at > :now)
     AND k.roles @> string_to_array(asked.roles, ',') AND ${makerStays}`,
);
const liveSessions = statement<{ place: number }>(
  'sessions.live_of',
  `SELECT asked.place
   FROM unnest(:sids::text[], :roles::text[], :accountIds::int[], :providers::text[])
     WITH ORDINALITY asked (id, roles, account_id, provider, place)
   JOIN sessions s ON s.sid = asked.id
   WHERE s.revoked_at IS NULL AND s.expires_at > :now
     AND ${isStillMember(
       'asked.account_id',
       "string_to_array(asked.roles, ',')",
       'asked.provider',
     )}`,
);
const sessionColumns = `(created_at, sid, poly_user_id, auth_method, expires_at, identity_id,
  device_label_sealed, device_id, account_id, confined_to)`;
const sessionValues = `:createdAt, :sid, :polyUserId, :authMethod, :expiresAt, :identityId,
  :deviceLabelSealed, :deviceId, :accountId, :confinedTo`;
const insertSession = statement(
  'sessions.insert',
  `INSERT INTO sessions ${sessionColumns} VALUES (${sessionValues})`,
);
const insertOnce = sharing(
  'sessions.insert_once',
  spendingSql +
    `INSERT INTO sessions ${sessionColumns}
       SELECT ${sessionValues} FROM spent RETURNING 1`,
  'write',
);
/** Deletes the oldest first, through the index on `expires_at`: there may be many others. */
const removeSessions = statement<{ sid: string }>(
  'sessions.remove_ended',
  `DELETE FROM sessions WHERE sid IN (
     SELECT sid FROM sessions WHERE expires_at < :expiredBefore
     ORDER BY expires_at LIMIT :lengthMax FOR UPDATE SKIP LOCKED)
   RETURNING sid`,
);
const appById = statement<
  AppRow & { account_name: string; account_logo_url: string | null; account_verified: boolean }
>(
  'apps.by_id',
  `SELECT p.*, a.name AS account_name, a.logo_url AS account_logo_url,
            a.verified AS account_verified
   FROM apps p JOIN accounts a USING (account_id)
   WHERE p.app_id = :appId AND p.status = 'active' AND a.disabled_at IS NULL`,
);

const activeApps = statement<{ app_id: string }>(
  'apps.active_of_account',
  `SELECT app_id FROM apps WHERE account_id = :accountId AND status = 'active'
     AND livemode = coalesce(:livemode, livemode)
     AND (:appIds::text[] IS NULL OR app_id = ANY (:appIds)) LIMIT 2`,
);

export async function findApiKey(on: Queryable, keyId: string): Promise<ApiKeyRow | null> {
  return firstOf(await keyById(on, { keyId }));
}

/** Records the use of a key, at most once a minute. */
export async function noteKeyUse(on: Queryable, keyId: string, now: Date): Promise<void> {
  await touchKey(on, { keyId, now });
}

/** Rights in a session token. They may have been revoked since it was issued. */
export interface HeldSession {
  readonly sid: string;
  readonly accountId: number | null;
  readonly roles: readonly Role[];
  /** The sign-in provider of the session. */
  readonly provider?: string | undefined;
}

/**
 * Returns true if a session is not revoked, not expired, and its membership still has its roles.
 */
export async function isSessionLive(
  on: Queryable,
  { sid, accountId, roles, provider }: HeldSession,
  now: Date,
): Promise<boolean> {
  return (
    (await sessionById(on, { sid, now, accountId, roles, provider: provider ?? null })).length > 0
  );
}

/** Rights that an API key had when it was checked. */
export interface HeldKey {
  readonly keyId: string;
  readonly roles: readonly Role[];
}

/**
 * Returns the keys and sessions that are still valid: not revoked, not expired, and with all their
 * roles. Uses two queries.
 */
export async function listLive<Key extends HeldKey, Session extends HeldSession>(
  on: Queryable,
  keys: readonly Key[],
  sessions: readonly Session[],
  now: Date,
): Promise<ReadonlySet<Key | Session>> {
  const rolesOf = ({ roles }: HeldKey | HeldSession): string => roles.join(',');
  const [keyRows, sessionRows] = await Promise.all([
    keys.length > 0
      ? liveKeys(on, { keyIds: keys.map(({ keyId }) => keyId), now, roles: keys.map(rolesOf) })
      : [],
    sessions.length > 0
      ? liveSessions(on, {
          sids: sessions.map(({ sid }) => sid),
          now,
          roles: sessions.map(rolesOf),
          accountIds: sessions.map(({ accountId }) => accountId),
          providers: sessions.map(({ provider }) => provider ?? null),
        })
      : [],
  ]);
  return new Set([
    ...keyRows.flatMap(({ place }) => keys[place - 1] ?? []),
    ...sessionRows.flatMap(({ place }) => sessions[place - 1] ?? []),
  ]);
}

export interface NewSession {
  readonly sid: string;
  readonly polyUserId: string;
  readonly authMethod: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Login email used to sign in. */
  readonly identityId: number | null;
  readonly deviceLabelSealed: Buffer | null;
  /** Device whose key opened the session. */
  readonly deviceId: string | null;
  /** Account in which it is opened. */
  readonly accountId: number | null;
  /** The only account in which it may continue. */
  readonly confinedTo: number | null;
}

export async function addSession(on: Queryable, row: NewSession): Promise<void> {
  await insertSession(on, row);
}

/**
 * Adds a session and consumes the token that it was opened with, in one statement. Returns true for
 * exactly one of all callers with the token.
 */
export async function addSessionOnce(
  on: Queryable,
  row: NewSession,
  { jti, keptUntil }: Spending,
): Promise<boolean> {
  const values = { ...row, jti, keptUntil, spentAt: row.createdAt };
  return (await insertOnce(on, values)).length === 1;
}

/**
 * Deletes at most `lengthMax` sessions that expired before an instant, revoked or not. Returns how
 * many.
 */
export async function removeEndedSessions(
  on: Queryable,
  expiredBefore: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeSessions(on, { expiredBefore, lengthMax })).length;
}

/** Returns an active app with the public data of its account, or null. */
export async function findApp(on: Queryable, appId: string) {
  return firstOf(await appById(on, { appId }));
}

/** Returns the id of an account's active app if exactly one is within reach, else null. */
export async function findOnlyApp(
  on: Queryable,
  accountId: number,
  { livemode, appIds }: Reach,
): Promise<string | null> {
  const [app, another] = await activeApps(on, { accountId, livemode, appIds });
  return app && !another ? app.app_id : null;
}
