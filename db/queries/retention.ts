import { statement, type Queryable, type Tx } from '../client.ts';

/** A check whose images have been kept as long as its account has it. */
export interface DueCheck {
  readonly account_id: number;
  readonly decided_at: Date;
  readonly link_session_id: string;
}

/**
 * How long after its end at least: by then whoever was uploading to it is through, or dead, and the
 * removal of the folder takes what they have left. Far longer than a request may last.
 */
const kept = `greatest(make_interval(days => a.image_retention_days), interval '5 minutes')`;
/** By account, since each has a time of its own: nobody's young checks are looked through. */
const due = `FROM accounts a CROSS JOIN LATERAL (
    SELECT t.account_id, t.decided_at, t.link_session_id FROM trust_checks t
    WHERE t.account_id = a.account_id AND t.decided_at IS NOT NULL
      AND t.images_removed_at IS NULL
      AND t.decided_at <= :now::timestamptz - ${kept}
      AND NOT EXISTS (SELECT FROM affidavits f
        WHERE f.link_session_id = t.link_session_id AND f.status IN ('pending', 'signing'))`;
/** In the order of the accounts' key, so that none is looked into behind the last that is given. */
const dueAfter = statement<DueCheck>(
  'retention.due',
  `SELECT d.* ${due}
      AND (t.account_id > :account_id
        OR (t.decided_at, t.link_session_id) > (:decided_at, :link_session_id))
    ORDER BY t.decided_at, t.link_session_id LIMIT :lengthMax) d
   WHERE a.account_id >= :account_id
   ORDER BY a.account_id, d.decided_at, d.link_session_id LIMIT :lengthMax`,
);
const oldestDue = statement<{ due_at: Date | null }>(
  'retention.oldest_due',
  `SELECT min(d.decided_at + ${kept}) AS due_at ${due}
    ORDER BY t.decided_at LIMIT 1) d`,
);
const markRemoved = statement(
  'retention.mark_removed',
  'UPDATE trust_checks SET images_removed_at = :now WHERE link_session_id = :id',
);

/**
 * Checks that have ended and whose images are due, in the order of accounts and ends, after a place
 * and at most so many. An affidavit in the making is waited for.
 */
export function listDueChecks(
  on: Queryable,
  now: Date,
  after: DueCheck,
  lengthMax: number,
): Promise<DueCheck[]> {
  const { account_id, decided_at, link_session_id } = after;
  return dueAfter(on, { now, account_id, decided_at, link_session_id, lengthMax });
}

/** Since when the check waits whose images are due the longest; null when none are. */
export async function findOldestDue(on: Queryable, now: Date): Promise<Date | null> {
  return (await oldestDue(on, { now }))[0]?.due_at ?? null;
}

/** Notes of a session that its images are gone. */
export async function markImagesRemoved(tx: Tx, id: string, now: Date): Promise<void> {
  await markRemoved(tx, { id, now });
}
