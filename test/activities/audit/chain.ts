import { transaction, type Db, type Tx } from '../../../db/client.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import type { auditRows } from '../../../db/schema/audit.ts';
import { auditHash } from '../../../domain/transparency/audit-hash.ts';

export type Row = typeof auditRows.$inferSelect;

/** Adds rows to an account’s audit log through the same function as changes. */
export async function append(db: Db, accountId: number, count: number): Promise<void> {
  for (let place = 1; place <= count; place += 1) {
    const entry = { accountId, actor: 'key', objectId: `app-${place}`, details: { place } };
    await transaction(db, (tx) => appendAudit(tx, { ...entry, action: 'app.created' }, new Date()));
  }
}

export async function rowsOf(tx: Tx, accountId: number): Promise<Row[]> {
  const text = 'SELECT * FROM audit_rows WHERE account_id = $1 ORDER BY seq';
  return (await tx.query<Row>(text, [accountId])).rows;
}

/**
 * Forges an audit log as an attacker with database access would: replaces an account’s rows,
 * numbers and chains them again from `since` on, and writes a matching head.
 */
export async function forge(
  tx: Tx,
  accountId: number,
  rows: readonly Row[],
  since: number,
): Promise<void> {
  await tx.query('SET LOCAL session_replication_role = replica');
  await tx.query('DELETE FROM audit_rows WHERE account_id = $1 AND seq > $2', [accountId, since]);
  let hash = rows[since - 1]?.hash ?? Buffer.alloc(32);
  for (const [place, row] of rows.entries()) {
    if (place < since) continue;
    const made = { ...row, seq: place + 1, previous_hash: hash };
    hash = auditHash(made);
    const { account_id, seq, action, actor, object_id, details, previous_hash, created_at } = made;
    await tx.query({
      name: 'forge',
      text: 'INSERT INTO audit_rows VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9)',
      values: [
        account_id,
        seq,
        action,
        actor,
        object_id,
        JSON.stringify(details),
        previous_hash,
        hash,
        created_at,
      ],
    });
  }
  const head = `UPDATE audit_heads
    SET seq = $2, hash = $3, checkpoints = 0, checkpoint_seq = $2 WHERE account_id = $1`;
  await tx.query(head, [accountId, rows.length, hash]);
}
