import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare, typed } from '../prepare.ts';
import { getTableColumns, sql } from '../schema/drizzle.ts';
import { stolenSecrets } from '../schema/stolen-secrets.ts';

const { secret_id } = stolenSecrets;

type StolenSecretRow = typeof stolenSecrets.$inferSelect;

const known = prepare('stolen_secrets.known', { ids: typed<readonly string[]>() }, ({ by }) =>
  build
    .select({ secret_id })
    .from(stolenSecrets)
    .where(sql`${secret_id} = ANY (${by.ids}::text[])`),
);
const insert = prepare('stolen_secrets.insert', getTableColumns(stolenSecrets), ({ by }) =>
  build.insert(stolenSecrets).values(by).onConflictDoNothing({ target: secret_id }),
);

const mailedBefore = statement<{ count: number }>(
  'links.mailed_before',
  `SELECT count(*)::int AS count FROM links
   WHERE emailed AND created_at < :before AND status IN ('scheduled', 'active', 'paused')
     AND (expires_at IS NULL OR expires_at > :now)`,
);

/** Returns the ids of the versions of the master secret that were revoked as stolen. */
export async function findStolenSecrets(on: Queryable, ids: readonly string[]): Promise<string[]> {
  return (await known(on, { ids })).map(({ secret_id }) => secret_id);
}

export async function addStolenSecret(tx: Tx, row: StolenSecretRow): Promise<void> {
  await insert(tx, row);
}

/** Counts the mailed links that were made before an instant and can still be opened. */
export async function countMailedBefore(on: Queryable, before: Date, now: Date): Promise<number> {
  return firstOf(await mailedBefore(on, { before, now }))?.count ?? 0;
}
