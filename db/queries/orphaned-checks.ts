import { statement, type Queryable } from '../client.ts';
import type { links } from '../schema/links.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** A session as far as its workflow can be started from it. */
export type OrphanedCheck = Pick<
  TrustCheckRow,
  'link_session_id' | 'link_uuid' | 'app_id' | 'account_id' | 'client' | 'proofs'
> &
  Pick<typeof links.$inferSelect, 'max_attempts' | 'policy'>;

const orphan = `t.link_session_id, t.link_uuid, t.app_id, t.account_id, t.client, t.proofs,
     l.max_attempts, l.policy`;
const ofDeletedLinks = statement<OrphanedCheck>(
  'trust_checks.of_deleted_links',
  `SELECT ${orphan}
   FROM links l JOIN trust_checks t USING (link_uuid)
   WHERE l.ends_sessions AND t.link_session_id > $1 AND t.status NOT IN ('passed', 'failed',
     'declined', 'expired', 'abandoned', 'canceled')
   ORDER BY t.link_session_id LIMIT $2`,
);

/** Sessions that are not decided yet and whose link was deleted, in the order of their ids. */
export async function listOfDeletedLinks(
  on: Queryable,
  after: string,
  limit: number,
): Promise<OrphanedCheck[]> {
  return ofDeletedLinks(on, [after, limit]);
}

const unstarted = statement<OrphanedCheck>(
  'trust_checks.unstarted',
  `SELECT ${orphan} FROM trust_checks t JOIN links l USING (link_uuid)
   WHERE t.awaits_start AND t.created_at <= $1 AND t.link_session_id <> ALL ($3)
   ORDER BY t.created_at LIMIT $2`,
);
const started = statement(
  'trust_checks.started',
  'UPDATE trust_checks SET awaits_start = false WHERE link_session_id = $1 AND awaits_start',
);

/** Sessions begun by then whose workflow is not known to be started, the oldest first. */
export async function listUnstarted(
  on: Queryable,
  begunUntil: Date,
  limit: number,
  without: readonly string[] = [],
): Promise<OrphanedCheck[]> {
  return unstarted(on, [begunUntil, limit, without]);
}

/** Notes that the workflow of a session has been started. */
export async function markStarted(on: Queryable, id: string): Promise<void> {
  await started(on, [id]);
}
