import { firstOf, statement, withTotal, type Queryable, type Reach, type Tx } from '../client.ts';
import { build, prepare, total } from '../prepare.ts';
import { apps } from '../schema/accounts.ts';
import { and, getTableColumns } from '../schema/drizzle.ts';
import type { AppRow } from './credentials.ts';

const { account_id, app_id } = apps;

const insert = prepare('apps.insert', getTableColumns(apps), ({ by }) =>
  build.insert(apps).values(by).onConflictDoNothing({ target: app_id }).returning(),
);
const update = prepare('apps.update', getTableColumns(apps), ({ by, equals }) => {
  const { app_id: _app, account_id: _account, created_at: _created, ...row } = by;
  return build.update(apps).set(row).where(and(equals.app_id, equals.account_id)).returning();
});
const find = prepare('apps.find', { app_id }, ({ equals }) =>
  build.select().from(apps).where(equals.app_id),
);
const countOf = prepare('apps.count_of_account', { account_id }, ({ equals }) =>
  build.select({ total }).from(apps).where(equals.account_id),
);
const page = statement<AppRow>(
  'apps.page',
  `SELECT * FROM apps
   WHERE account_id = ANY (:accountIds) AND livemode = coalesce(:livemode, livemode)
     AND (:appIds::text[] IS NULL OR app_id = ANY (:appIds))
   ORDER BY account_id, created_at, app_id LIMIT :limit OFFSET :offset`,
);
const count = statement<{ total: number }>(
  'apps.count',
  `SELECT count(*)::int AS total FROM apps
   WHERE account_id = ANY (:accountIds) AND livemode = coalesce(:livemode, livemode)
     AND (:appIds::text[] IS NULL OR app_id = ANY (:appIds))`,
);
const origins = statement<{ origin: string }>(
  'apps.origins',
  `SELECT DISTINCT unnest(allowed_origins) AS origin FROM apps
   WHERE account_id = :accountId AND status = 'active'`,
);
/** Same rule as `stateOf` for links: a date that has passed changes the state without an update. */
const activity = statement<{ links_active: number; checks_last_24h: number }>(
  'apps.activity',
  `SELECT
     (SELECT count(*)::int FROM links WHERE account_id = :account_id AND app_id = :app_id
        AND status IN ('active', 'scheduled') AND (not_before IS NULL OR not_before <= :now)
        AND (expires_at IS NULL OR expires_at > :now)) AS links_active,
     (SELECT count(*)::int FROM trust_checks WHERE account_id = :account_id AND app_id = :app_id
        AND created_at > :now::timestamptz - interval '24 hours' AND created_at <= :now)
       AS checks_last_24h`,
);

/** Returns null if an app of any account has the id. */
export async function addApp(tx: Tx, row: AppRow): Promise<AppRow | null> {
  return firstOf(await insert(tx, row));
}

/** Updates an app. The caller holds the lock of its account. */
export async function updateApp(tx: Tx, row: AppRow): Promise<AppRow> {
  const updated = firstOf(await update(tx, row));
  if (!updated) throw new Error(`the app ${row.app_id} was not changed`);
  return updated;
}

/** Returns an app in any state, archived included. */
export async function findAnyApp(on: Queryable, appId: string): Promise<AppRow | null> {
  return firstOf(await find(on, { app_id: appId }));
}

export async function countApps(on: Queryable, accountId: number): Promise<number> {
  return firstOf(await countOf(on, { account_id: accountId }))?.total ?? 0;
}

/** Returns a page of the apps of these accounts that are within reach, and the total count. */
export async function listApps(
  on: Queryable,
  accountIds: readonly number[],
  { livemode, appIds }: Reach,
  [limit, offset]: readonly [number, number],
) {
  const by = { accountIds, livemode, appIds };
  return withTotal(page(on, { ...by, limit, offset }), count(on, by));
}

/** Returns the web origins of an account's active apps. */
export async function listAppOrigins(on: Queryable, accountId: number): Promise<string[]> {
  return (await origins(on, { accountId })).map(({ origin }) => origin);
}

/** Counts the usable links of an app, and the checks that began in the last day. */
export async function activityOf(on: Queryable, app: AppRow, now: Date) {
  const [counted] = await activity(on, { account_id: app.account_id, app_id: app.app_id, now });
  return {
    links_active: counted?.links_active ?? 0,
    checks_last_24h: counted?.checks_last_24h ?? 0,
  };
}
