import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { stolenSecrets } from '../schema/stolen-secrets.ts';

type StolenSecretRow = typeof stolenSecrets.$inferSelect;

const known = statement<Pick<StolenSecretRow, 'secret_id'>>(
  'stolen_secrets.known',
  'SELECT secret_id FROM stolen_secrets WHERE secret_id = ANY ($1::text[])',
);
const insert = statement(
  'stolen_secrets.insert',
  `INSERT INTO stolen_secrets (secret_id, version, revoked_at, invalidity_date)
   VALUES ($1, $2, $3, $4) ON CONFLICT (secret_id) DO NOTHING`,
);

const mailedBefore = statement<{ count: number }>(
  'links.mailed_before',
  `SELECT count(*)::int AS count FROM links
   WHERE emailed AND created_at < $1 AND status IN ('scheduled', 'active', 'paused')
     AND (expires_at IS NULL OR expires_at > $2)`,
);

/** Returns the ids of the versions of the master secret that were revoked as stolen. */
export async function findStolenSecrets(on: Queryable, ids: readonly string[]): Promise<string[]> {
  return (await known(on, [ids])).map(({ secret_id }) => secret_id);
}

export async function addStolenSecret(tx: Tx, row: StolenSecretRow): Promise<void> {
  await insert(tx, [row.secret_id, row.version, row.revoked_at, row.invalidity_date]);
}

/** Counts the mailed links that were made before an instant and can still be opened. */
export async function countMailedBefore(on: Queryable, before: Date, now: Date): Promise<number> {
  return firstOf(await mailedBefore(on, [before, now]))?.count ?? 0;
}
