import { statement, type Queryable } from '../client.ts';
import { build, limit, prepare, without } from '../prepare.ts';
import { and, sql } from '../schema/drizzle.ts';
import { isJudging, trustChecks } from '../schema/trust-checks.ts';
import type { TrustCheckRow } from './trust-checks.ts';

const { awaits_start, link_session_id } = trustChecks;

/** Columns of a session that its workflow needs to start. */
export type OrphanedCheck = Pick<
  TrustCheckRow,
  'link_session_id' | 'link_uuid' | 'app_id' | 'account_id' | 'client' | 'proofs' | 'asked'
>;

const orphan = `t.link_session_id, t.link_uuid, t.app_id, t.account_id, t.client, t.proofs,
     t.asked`;
const ofDeletedLinks = statement<OrphanedCheck>(
  'trust_checks.of_deleted_links',
  `SELECT ${orphan}
   FROM links l JOIN trust_checks t USING (link_uuid)
   WHERE l.ends_sessions AND t.link_session_id > :after AND t.status NOT IN ('passed', 'failed',
     'declined', 'expired', 'abandoned', 'canceled')
   ORDER BY t.link_session_id LIMIT :limit`,
);

/** Lists undecided sessions whose link was deleted, in id order. */
export async function listOfDeletedLinks(
  on: Queryable,
  after: string,
  limit: number,
): Promise<OrphanedCheck[]> {
  return ofDeletedLinks(on, { after, limit });
}

/** Lists undecided sessions on a device that was revoked by its vendor. */
export const listOfEndedDevices = prepare(
  'trust_checks.of_ended_devices',
  { after: link_session_id, limit },
  ({ by }) => sql<OrphanedCheck>`SELECT ${sql.raw(orphan)}
   FROM devices d JOIN trust_checks t USING (device_id)
   WHERE d.ends_checks AND t.link_session_id > ${by.after} AND t.status NOT IN ('passed', 'failed',
     'declined', 'expired', 'abandoned', 'canceled')
   ORDER BY t.link_session_id LIMIT ${by.limit}`,
);

/**
 * Lists at most `limit` sessions begun by `begun_until` whose workflow is not known to be started,
 * except those in `without`, oldest first.
 */
export const listUnstarted = prepare(
  'trust_checks.unstarted',
  { begun_until: trustChecks.created_at, limit, without },
  ({ by }) => sql<OrphanedCheck>`SELECT ${sql.raw(orphan)} FROM trust_checks t
   WHERE t.awaits_start AND t.created_at <= ${by.begun_until}
     AND t.link_session_id <> ALL (${by.without}::text[])
   ORDER BY t.created_at LIMIT ${by.limit}`,
);
const started = prepare('trust_checks.started', { link_session_id }, ({ equals }) =>
  build
    .update(trustChecks)
    .set({ awaits_start: false })
    .where(and(equals.link_session_id, awaits_start)),
);

/** Records that the workflow of a session is started. */
export async function markStarted(on: Queryable, id: string): Promise<void> {
  await started(on, { link_session_id: id });
}

/** A check with a proof in `processing`. */
export type JudgingCheck = Pick<TrustCheckRow, 'link_session_id' | 'proofs' | 'log'>;

/** Lists at most `limit` such checks in id order, after the id `after`. */
export const listJudging = prepare(
  'trust_checks.judging',
  { after: link_session_id, limit },
  ({ by }) => sql<JudgingCheck>`SELECT link_session_id, proofs, log FROM trust_checks t
   WHERE ${sql.raw(isJudging)} AND t.link_session_id > ${by.after}
   ORDER BY t.link_session_id LIMIT ${by.limit}`,
);
