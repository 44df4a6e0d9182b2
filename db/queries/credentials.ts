import { firstOf, statement, type Queryable } from '../client.ts';
import type { apiKeys, apps } from '../schema/accounts.ts';

export type ApiKeyRow = typeof apiKeys.$inferSelect;
export type AppRow = typeof apps.$inferSelect;

const keyById = statement<ApiKeyRow>(
  'api_keys.by_id',
  `SELECT k.* FROM api_keys k JOIN accounts a USING (account_id)
   WHERE k.key_id = $1 AND a.disabled_at IS NULL`,
);
const touchKey = statement(
  'api_keys.touch',
  `UPDATE api_keys SET last_used_at = $2
   WHERE key_id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 minute')`,
);
const sessionById = statement<{ sid: string }>(
  'sessions.live',
  'SELECT sid FROM sessions WHERE sid = $1 AND revoked_at IS NULL AND expires_at > $2',
);
const liveKeys = statement<{ id: string }>(
  'api_keys.live',
  `SELECT k.key_id AS id FROM api_keys k JOIN accounts a USING (account_id)
   WHERE k.key_id = ANY ($1::text[]) AND k.revoked_at IS NULL AND a.disabled_at IS NULL
     AND (k.expires_at IS NULL OR k.expires_at > $2)`,
);
const liveSessions = statement<{ id: string }>(
  'sessions.live_of',
  `SELECT sid AS id FROM sessions
   WHERE sid = ANY ($1::text[]) AND revoked_at IS NULL AND expires_at > $2`,
);
const insertSession = statement(
  'sessions.insert',
  `INSERT INTO sessions (sid, poly_user_id, auth_method, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5)`,
);
const appById = statement<
  AppRow & { account_name: string; account_logo_url: string | null; account_verified: boolean }
>(
  'apps.by_id',
  `SELECT p.*, a.name AS account_name, a.logo_url AS account_logo_url, a.verified AS account_verified
   FROM apps p JOIN accounts a USING (account_id)
   WHERE p.app_id = $1 AND p.status = 'active' AND a.disabled_at IS NULL`,
);

const activeApps = statement<{ app_id: string }>(
  'apps.active_of_account',
  `SELECT app_id FROM apps WHERE account_id = $1 AND status = 'active' LIMIT 2`,
);

export async function findApiKey(on: Queryable, keyId: string): Promise<ApiKeyRow | null> {
  return firstOf(await keyById(on, [keyId]));
}

/** Notes the use of a key, at most once a minute. */
export async function noteKeyUse(on: Queryable, keyId: string, now: Date): Promise<void> {
  await touchKey(on, [keyId, now]);
}

/** Whether a session was neither revoked nor has run out. */
export async function isSessionLive(on: Queryable, sid: string, now: Date): Promise<boolean> {
  return (await sessionById(on, [sid, now])).length > 0;
}

/** Which of these keys (`key_id`) and sessions (`sid`) are neither revoked nor expired. */
export async function listLive(
  on: Queryable,
  asked: { readonly keyIds: readonly string[]; readonly sids: readonly string[] },
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await Promise.all([
    asked.keyIds.length > 0 ? liveKeys(on, [asked.keyIds, now]) : [],
    asked.sids.length > 0 ? liveSessions(on, [asked.sids, now]) : [],
  ]);
  return new Set(rows.flat().map(({ id }) => id));
}

export async function addSession(
  on: Queryable,
  row: { sid: string; polyUserId: string; authMethod: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await insertSession(on, [row.sid, row.polyUserId, row.authMethod, row.createdAt, row.expiresAt]);
}

/** An active app with its account's public face, or null. */
export async function findApp(on: Queryable, appId: string) {
  return firstOf(await appById(on, [appId]));
}

/** The id of an account's active app where it has exactly one, else null. */
export async function findOnlyApp(on: Queryable, accountId: number): Promise<string | null> {
  const [app, another] = await activeApps(on, [accountId]);
  return app && !another ? app.app_id : null;
}
