import type { AuditAction } from '../../domain/names.ts';
import { auditHash, noAuditHash } from '../../domain/transparency/audit-hash.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, typed } from '../prepare.ts';
import { type auditRows, auditHeads } from '../schema/audit.ts';
import { sql } from '../schema/drizzle.ts';

export type AuditRow = typeof auditRows.$inferSelect;

const { account_id, checkpoints, hash, seq } = auditHeads;

interface Head {
  readonly seq: number;
  readonly hash: Buffer;
}

/** Last row of an account's log, with the note of its checkpoints. */
export interface AuditHead extends Head {
  readonly account_id: number;
  readonly checkpoints: number;
}

const lockHead = statement<Head>(
  'audit.lock_head',
  `INSERT INTO audit_heads (account_id, seq, hash) VALUES (:accountId, 0, :noAuditHash)
   ON CONFLICT (account_id) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash`,
);
const insert = statement(
  'audit.insert',
  `WITH head AS (UPDATE audit_heads SET seq = :seq, hash = :hash WHERE account_id = :account_id)
   INSERT INTO audit_rows (account_id, seq, action, actor, object_id, details, previous_hash, hash,
     created_at)
   VALUES (:account_id, :seq, :action, :actor, :object_id, :details::jsonb, :previous_hash, :hash,
     :created_at)`,
);
const page = statement<AuditRow & { actor_name: string | null }>(
  'audit.page',
  `SELECT r.*, k.name AS actor_name
   FROM audit_rows r LEFT JOIN api_keys k ON k.key_id = r.actor AND k.account_id = r.account_id
   WHERE r.account_id = :accountId ORDER BY r.seq DESC LIMIT :limit OFFSET :offset`,
);
const after = statement<AuditRow>(
  'audit.after',
  'SELECT * FROM audit_rows WHERE account_id = :accountId AND seq > :seq ORDER BY seq LIMIT :batch',
);
const head = prepare('audit.head', { account_id }, ({ equals }) =>
  build.select({ account_id, seq, hash, checkpoints }).from(auditHeads).where(equals.account_id),
);
const chains = statement<{ account_id: number }>(
  'audit.chains',
  `SELECT account_id FROM accounts UNION SELECT account_id FROM audit_heads
   UNION SELECT account_id FROM audit_rows ORDER BY account_id`,
);

/**
 * Lists at most `limit` logs with rows after their last checkpoint, from the account after `after`.
 */
export const listMovedHeads = prepare(
  'audit.moved_heads',
  { after: typed<number>(), limit },
  ({ by }) => sql<AuditHead>`SELECT account_id, seq, hash, checkpoints FROM audit_heads
   WHERE seq <> checkpoint_seq AND account_id > ${by.after} ORDER BY account_id LIMIT ${by.limit}`,
);

/** Records for an account the number of its checkpoints, and the row that the last one covers. */
export const noteCheckpoint = statement(
  'audit.note_checkpoint',
  'UPDATE audit_heads SET checkpoints = $2, checkpoint_seq = $3 WHERE account_id = $1',
);
const rowWith = statement(
  'audit.row_with_hash',
  'SELECT 1 FROM audit_rows WHERE account_id = :accountId AND seq = :seq AND hash = :hash',
);

/** A row as a checkpoint records it. */
export interface CheckedRow {
  readonly accountId: number;
  readonly seq: number;
  readonly hash: Buffer;
}

/** Returns true if an account's log has this row with this hash. */
export async function hasAuditRow(
  on: Queryable,
  { accountId, seq, hash }: CheckedRow,
): Promise<boolean> {
  return (await rowWith(on, { accountId, seq, hash })).length > 0;
}

/** Returns the last row of an account's log; null if it has none. */
export async function findAuditHead(on: Queryable, accountId: number): Promise<AuditHead | null> {
  return firstOf(await head(on, { account_id: accountId }));
}

/** One change, as recorded in the audit log. */
export interface AuditEntry {
  readonly accountId: number;
  readonly action: AuditAction;
  /** The API key or the person who acted; `operator` for the command line. */
  readonly actor: string;
  readonly objectId: string;
  /** Ids, roles and settings. No secret and no personal data. */
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Appends a row to an account's chain, in the transaction of the change. Call it late, but before
 * `appendEvents`: the chain stays locked until the commit.
 */
export async function appendAudit(tx: Tx, entry: AuditEntry, now: Date): Promise<void> {
  const { accountId, action, actor, objectId } = entry;
  const last = firstOf(await lockHead(tx, { accountId, noAuditHash }));
  if (!last) throw new Error('a chain has no head');
  // Same form as the column: absent members omitted, dates as texts.
  const details: Record<string, unknown> = JSON.parse(JSON.stringify(entry.details));
  const row = {
    account_id: accountId,
    seq: last.seq + 1,
    action,
    actor,
    object_id: objectId,
    details,
    previous_hash: last.hash,
    created_at: now,
  };
  await insert(tx, { ...row, details: JSON.stringify(details), hash: auditHash(row) });
}

/** Returns a page of an account's rows, newest first, with names of keys, and the total count. */
export async function listAudit(
  on: Queryable,
  accountId: number,
  [limit, offset]: readonly [number, number],
) {
  const [rows, last] = await Promise.all([
    page(on, { accountId, limit, offset }),
    head(on, { account_id: accountId }),
  ]);
  return { rows, total: last[0]?.seq ?? 0 };
}

/** Returns all account ids, and those that have a chain. */
export async function listChains(on: Queryable): Promise<number[]> {
  return (await chains(on, [])).map(({ account_id }) => account_id);
}

/** First invalid row of a chain. */
export interface BrokenAudit {
  readonly seq: number;
  /**
   * `missing`: no such row. `altered`: the row does not match its hash. `unchained`: it does not
   * follow the previous row. `unknown`: it is after the last row of the head. `truncated`: the log
   * ends before a row that a checkpoint covers. `rewritten`: it differs from the row that a
   * checkpoint covers.
   */
  readonly fault: 'missing' | 'altered' | 'unchained' | 'unknown' | 'truncated' | 'rewritten';
}

export interface AuditVerdict {
  /** Number of valid rows from the start. */
  readonly rows: number;
  /** Hex hash of the last valid row. A copy stored elsewhere reveals a chain that was rebuilt. */
  readonly hash: string;
  readonly broken: BrokenAudit | null;
}

const batch = 1_000;

/**
 * Verifies a chain from its first row and reports the first invalid row.
 * @param checkpoints rows that the log must still contain, read before this call
 */
export async function verifyAudit(
  on: Queryable,
  accountId: number,
  checkpoints: readonly CheckedRow[] = [],
): Promise<AuditVerdict> {
  // Reads the head first, because new rows may be appended during the walk.
  const last = firstOf(await head(on, { account_id: accountId })) ?? { seq: 0, hash: noAuditHash };
  let [seq, hash] = [0, noAuditHash];
  const verdict = (broken: BrokenAudit | null): AuditVerdict => ({
    rows: seq,
    hash: hash.toString('hex'),
    broken,
  });
  for (;;) {
    const rows = await after(on, { accountId, seq, batch });
    for (const row of rows) {
      const fault = faultOf(row, seq, hash);
      if (fault) return verdict({ seq: fault === 'missing' ? seq + 1 : row.seq, fault });
      if (isAnother(row, checkpoints)) return verdict({ seq: row.seq, fault: 'rewritten' });
      const isLast = row.seq === last.seq;
      if (isLast && !row.hash.equals(last.hash)) return verdict({ seq: row.seq, fault: 'altered' });
      [seq, hash] = [row.seq, row.hash];
    }
    if (rows.length < batch) break;
  }
  if (seq < last.seq) return verdict({ seq: seq + 1, fault: 'missing' });
  const current = firstOf(await head(on, { account_id: accountId }));
  if (seq > (current?.seq ?? 0)) return verdict({ seq, fault: 'unknown' });
  const isCut = checkpoints.some((checkpoint) => checkpoint.seq > seq);
  return verdict(isCut ? { seq: seq + 1, fault: 'truncated' } : null);
}

function isAnother({ seq, hash }: AuditRow, checkpoints: readonly CheckedRow[]): boolean {
  return checkpoints.some((checkpoint) => checkpoint.seq === seq && !checkpoint.hash.equals(hash));
}

function faultOf(row: AuditRow, seq: number, hash: Buffer): BrokenAudit['fault'] | null {
  if (row.seq !== seq + 1) return 'missing';
  if (!row.previous_hash.equals(hash)) return 'unchained';
  return auditHash(row).equals(row.hash) ? null : 'altered';
}
