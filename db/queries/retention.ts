import { imageRetentionDaysMax } from '../../domain/names.ts';
import { statement, type Queryable, type Tx } from '../client.ts';

/** A check whose images are due for removal. */
export interface DueCheck {
  readonly account_id: number;
  readonly decided_at: Date;
  readonly link_session_id: string;
}

/**
 * Minimum time from the end of a check to the removal of its images. By then each upload has ended
 * or its process is dead, so removing the folder removes everything. It is much longer than a
 * request may last.
 */
const kept = (days: string): string =>
  `greatest(make_interval(days => ${days}), interval '5 minutes')`;

/** One scan of the index `trust_checks_images` per account. It reads only due checks. */
const shorten = statement(
  'retention.shorten',
  `UPDATE trust_checks SET image_retention_days = due.days FROM (
     SELECT d.link_session_id, a.image_retention_days AS days
     FROM accounts a CROSS JOIN LATERAL (
       SELECT t.link_session_id FROM trust_checks t
       WHERE t.account_id = a.account_id AND t.decided_at IS NOT NULL
         AND t.images_removed_at IS NULL
         AND t.decided_at <= :now::timestamptz - ${kept('a.image_retention_days')}
         AND (t.image_retention_days > a.image_retention_days OR t.image_retention_days IS NULL)
       LIMIT :lengthMax) d
     LIMIT :lengthMax) due
   WHERE trust_checks.link_session_id = due.link_session_id`,
);

/**
 * One scan of the index `trust_checks_images_days` per number of days. It reads only due checks.
 */
const due = `FROM generate_series(0, ${imageRetentionDaysMax}) days CROSS JOIN LATERAL (
    SELECT t.account_id, t.decided_at, t.link_session_id FROM trust_checks t
    WHERE t.image_retention_days = days AND t.decided_at IS NOT NULL
      AND t.images_removed_at IS NULL
      AND t.decided_at <= :now::timestamptz - ${kept('days')}
      AND NOT EXISTS (SELECT FROM affidavits f
        WHERE f.link_session_id = t.link_session_id AND f.status IN ('pending', 'signing'))`;
const dueAfter = statement<DueCheck>(
  'retention.due',
  `SELECT d.* ${due}
      AND (t.decided_at, t.link_session_id) > (:decided_at, :link_session_id)
    ORDER BY t.decided_at, t.link_session_id LIMIT :lengthMax) d
   ORDER BY d.decided_at, d.link_session_id LIMIT :lengthMax`,
);
const oldestDue = statement<{ due_at: Date | null }>(
  'retention.oldest_due',
  `SELECT min(d.decided_at + ${kept('days')}) AS due_at ${due}
    ORDER BY t.decided_at LIMIT 1) d`,
);
const markRemoved = statement(
  'retention.mark_removed',
  'UPDATE trust_checks SET images_removed_at = :now WHERE link_session_id = :id',
);

/**
 * Lowers the retention days of at most `lengthMax` checks that are due under the setting of their
 * account, so that they are listed. A higher setting applies only to checks that begin later.
 */
export async function shortenRetention(on: Queryable, now: Date, lengthMax: number): Promise<void> {
  await shorten(on, { now, lengthMax });
}

/**
 * Lists at most `lengthMax` ended checks whose images are due, after a position, earliest end
 * first. Omits a check whose affidavit is being issued.
 */
export function listDueChecks(
  on: Queryable,
  now: Date,
  after: Omit<DueCheck, 'account_id'>,
  lengthMax: number,
): Promise<DueCheck[]> {
  const { decided_at, link_session_id } = after;
  return dueAfter(on, { now, decided_at, link_session_id, lengthMax });
}

/** Returns when the longest waiting images became due; null if none are due. */
export async function findOldestDue(on: Queryable, now: Date): Promise<Date | null> {
  return (await oldestDue(on, { now }))[0]?.due_at ?? null;
}

/** Records that the images of a session are removed. */
export async function markImagesRemoved(tx: Tx, id: string, now: Date): Promise<void> {
  await markRemoved(tx, { id, now });
}
