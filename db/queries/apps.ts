import { firstOf, statement, withTotal, type Queryable, type Reach, type Tx } from '../client.ts';
import { build, prepare, total } from '../prepare.ts';
import type { AppRow } from './credentials.ts';
import { apps } from '../schema/accounts.ts';

const { account_id, app_id } = apps;

const columns = `name, kind, status, livemode, redirect_url, allowed_origins, logo_url,
  default_proofs, tos_url, tos_version, install_url, apple, android`;
const insert = statement<AppRow>(
  'apps.insert',
  `INSERT INTO apps (app_id, account_id, created_at, ${columns})
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16::jsonb)
   ON CONFLICT (app_id) DO NOTHING RETURNING *`,
);
const update = statement<AppRow>(
  'apps.update',
  `UPDATE apps SET (${columns}) =
     ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15::jsonb)
   WHERE app_id = $1 AND account_id = $2 RETURNING *`,
);
const find = prepare('apps.find', { app_id }, ({ equals }) =>
  build.select().from(apps).where(equals.app_id),
);
const countOf = prepare('apps.count_of_account', { account_id }, ({ equals }) =>
  build.select({ total }).from(apps).where(equals.account_id),
);
const page = statement<AppRow>(
  'apps.page',
  `SELECT * FROM apps WHERE account_id = ANY ($1) AND livemode = coalesce($2, livemode)
     AND ($3::text[] IS NULL OR app_id = ANY ($3))
   ORDER BY account_id, created_at, app_id LIMIT $4 OFFSET $5`,
);
const count = statement<{ total: number }>(
  'apps.count',
  `SELECT count(*)::int AS total FROM apps
   WHERE account_id = ANY ($1) AND livemode = coalesce($2, livemode)
     AND ($3::text[] IS NULL OR app_id = ANY ($3))`,
);
const origins = statement<{ origin: string }>(
  'apps.origins',
  `SELECT DISTINCT unnest(allowed_origins) AS origin FROM apps
   WHERE account_id = :accountId AND status = 'active'`,
);
/** As `stateOf` tells a link: a date that has come moves it without anyone writing. */
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

const valuesOf = (row: Omit<AppRow, 'app_id' | 'account_id' | 'created_at'>): unknown[] => [
  row.name,
  row.kind,
  row.status,
  row.livemode,
  row.redirect_url,
  row.allowed_origins,
  row.logo_url,
  row.default_proofs,
  row.tos_url,
  row.tos_version,
  row.install_url,
  row.apple && JSON.stringify(row.apple),
  row.android && JSON.stringify(row.android),
];

/** Null where an app of any account has the id. */
export async function addApp(tx: Tx, row: AppRow): Promise<AppRow | null> {
  const { app_id, account_id, created_at, ...rest } = row;
  return firstOf(await insert(tx, [app_id, account_id, created_at, ...valuesOf(rest)]));
}

/** Writes an app over. Under the lock of its account. */
export async function updateApp(tx: Tx, row: AppRow): Promise<AppRow> {
  const { app_id, account_id, created_at: _created, ...rest } = row;
  const updated = firstOf(await update(tx, [app_id, account_id, ...valuesOf(rest)]));
  if (!updated) throw new Error(`the app ${app_id} was not changed`);
  return updated;
}

/** An app whatever its state, archived ones too. */
export async function findAnyApp(on: Queryable, appId: string): Promise<AppRow | null> {
  return firstOf(await find(on, { app_id: appId }));
}

export async function countApps(on: Queryable, accountId: number): Promise<number> {
  return firstOf(await countOf(on, { account_id: accountId }))?.total ?? 0;
}

/** A page of the apps of some accounts that are within reach, and how many there are. */
export async function listApps(
  on: Queryable,
  accountIds: readonly number[],
  { livemode, appIds }: Reach,
  [limit, offset]: readonly [number, number],
) {
  const values = [accountIds, livemode, appIds];
  return withTotal(page(on, [...values, limit, offset]), count(on, values));
}

/** The web origins of an account's active apps. */
export async function listAppOrigins(on: Queryable, accountId: number): Promise<string[]> {
  return (await origins(on, { accountId })).map(({ origin }) => origin);
}

/** How many links of an app can be used now, and how many checks began in the last day. */
export async function activityOf(on: Queryable, app: AppRow, now: Date) {
  const [counted] = await activity(on, { account_id: app.account_id, app_id: app.app_id, now });
  return {
    links_active: counted?.links_active ?? 0,
    checks_last_24h: counted?.checks_last_24h ?? 0,
  };
}
