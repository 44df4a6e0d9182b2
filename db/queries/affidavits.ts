import { Failure } from '../../workflows/failures.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, typed, without } from '../prepare.ts';
import { affidavits } from '../schema/affidavits.ts';
import { sql } from '../schema/drizzle.ts';
import { currentTraceparent } from '../traceparent.ts';
import type { TrustCheckRow } from './trust-checks.ts';

export type AffidavitRow = typeof affidavits.$inferSelect;

const { affidavit_id, link_session_id } = affidavits;

/** NOTIFY channel for newly planned affidavits. */
export const affidavitsChannel = 'affidavits';

const add = statement<{ affidavit_id: string }>(
  'affidavits.add',
  `WITH planned AS (
     INSERT INTO affidavits (affidavit_id, link_session_id, poly_user_id, account_id, app_id,
                             status, created_at, traceparent)
     VALUES (:affidavitId, :link_session_id, :poly_user_id, :account_id, :app_id, 'pending', :now,
       :traceparent)
     ON CONFLICT (link_session_id) DO UPDATE SET link_session_id = excluded.link_session_id
     RETURNING affidavit_id
   )
   SELECT affidavit_id, pg_notify('${affidavitsChannel}', '') FROM planned`,
);
const find = prepare('affidavits.find', { affidavit_id }, ({ equals }) =>
  build.select().from(affidavits).where(equals.affidavit_id),
);
const lock = prepare('affidavits.lock', { link_session_id }, ({ equals }) =>
  build.select().from(affidavits).where(equals.link_session_id).for('update'),
);
const freeze = statement<AffidavitRow>(
  'affidavits.freeze',
  `UPDATE affidavits f SET content_sealed = :sealed, status = 'signing'
   WHERE f.affidavit_id = :affidavit_id AND f.content_sealed IS NOT DISTINCT
     FROM :before AND NOT EXISTS (
     SELECT 1 FROM trust_checks t
     WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   RETURNING f.*`,
);
const publish = statement<AffidavitRow>(
  'affidavits.publish',
  `UPDATE affidavits SET status = 'available', affidavit_key = :affidavit_key, sha256 = :sha256,
   base_sha256 = :base_sha256,
     json_sha256 = :json_sha256, size_bytes = :size_bytes, pades_level = :pades_level,
     seal_kid = :seal_kid, sealed_at = :sealed_at,
     available_at = :available_at, version = :version, development = :development,
     reason_code = NULL, failed_at = NULL,
     awaits_log_proof = true, renew_at = :renew_at, recheck_since = :recheck_since
   WHERE affidavit_id = :affidavit_id AND status <> 'available' RETURNING *`,
);
const tellSession = statement<TrustCheckRow>(
  'affidavits.tell_session',
  `UPDATE trust_checks SET affidavit_status = 'available', affidavit_sha256 = :sha256,
     affidavit_available_at = :available_at, affidavit_reason = NULL
   WHERE link_session_id = :link_session_id AND redacted_at IS NULL RETURNING *`,
);
const giveUp = statement<AffidavitRow>(
  'affidavits.give_up',
  `UPDATE affidavits SET status = 'failed', reason_code = :reason, failed_at = :now
   WHERE affidavit_id = :id AND status <> 'available' RETURNING *`,
);
const tellFailure = statement<TrustCheckRow>(
  'affidavits.tell_failure',
  `UPDATE trust_checks SET affidavit_status = 'failed', affidavit_reason = :reason
   WHERE link_session_id = :link_session_id AND affidavit_status <> 'failed' RETURNING *`,
);
const planAgain = statement<{ affidavit_id: string }>(
  'affidavits.plan_again',
  `UPDATE affidavits f SET status = 'pending'
   WHERE f.status = 'failed' AND f.failed_at <= :failedUntil AND NOT EXISTS (
     SELECT 1 FROM trust_checks t
     WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   RETURNING affidavit_id`,
);

/**
 * Plans the one affidavit of a session. A repeated call returns the id that is already planned. A
 * relay starts its workflow.
 */
export async function addAffidavit(
  tx: Tx,
  session: TrustCheckRow,
  affidavitId: string,
  now: Date,
): Promise<string> {
  const row = firstOf(
    await add(tx, {
      affidavitId,
      link_session_id: session.link_session_id,
      poly_user_id: session.poly_user_id,
      account_id: session.account_id,
      app_id: session.app_id,
      now,
      traceparent: currentTraceparent(),
    }),
  );
  return row?.affidavit_id ?? affidavitId;
}

export interface PendingAffidavit {
  readonly affidavit_id: string;
  readonly link_session_id: string;
  readonly account_id: number;
  readonly app_id: string;
  readonly link_uuid: string;
  readonly traceparent: string | null;
}

/**
 * Lists planned affidavits whose workflow is not started, except those in `without`, oldest first.
 */
export const listPendingAffidavits = prepare(
  'affidavits.pending',
  { limit, without },
  ({ by }) => sql<PendingAffidavit>`SELECT a.affidavit_id, a.link_session_id, a.account_id,
  a.app_id, c.link_uuid, a.traceparent
   FROM affidavits a JOIN trust_checks c USING (link_session_id)
   WHERE a.status = 'pending' AND a.affidavit_id <> ALL (${by.without}::text[])
   ORDER BY a.created_at LIMIT ${by.limit}`,
);

/** An affidavit whose proof of the public log is not yet stored. */
export interface UnprovenAffidavit {
  readonly affidavit_id: string;
  readonly affidavit_key: string;
  readonly sha256: string;
  readonly sealed_at: Date;
}

/**
 * Lists available affidavits without such a proof, except those in `without`, oldest first. If
 * witnesses are required, `witnessed` is the log size that they have signed. An affidavit whose
 * entry is beyond it is then listed only if it became available by `patience`.
 */
export const listUnprovenAffidavits = prepare(
  'affidavits.unproven',
  { limit, without, witnessed: typed<number | null>(), patience: typed<Date>() },
  ({ by }) => sql<UnprovenAffidavit>`SELECT affidavit_id, affidavit_key, sha256, sealed_at
  FROM affidavits
   WHERE awaits_log_proof AND affidavit_id <> ALL (${by.without}::text[])
     AND (${by.witnessed}::bigint IS NULL OR available_at <= ${by.patience} OR NOT EXISTS (
       SELECT 1 FROM transparency_entries e
       WHERE e.affidavit_id = affidavits.affidavit_id AND e.index >= ${by.witnessed}))
   ORDER BY available_at LIMIT ${by.limit}`,
);

/** Records that the proof of an affidavit is stored beside it. */
export const markAffidavitProven = statement(
  'affidavits.proven',
  'UPDATE affidavits SET awaits_log_proof = false WHERE affidavit_id = $1',
);

/** Records that the workflow of an affidavit is started. */
export const markAffidavitStarted = statement(
  'affidavits.started',
  `UPDATE affidavits SET status = 'signing' WHERE affidavit_id = $1 AND status = 'pending'`,
);

export async function findAffidavit(on: Queryable, id: string): Promise<AffidavitRow | null> {
  return firstOf(await find(on, { affidavit_id: id }));
}

/**
 * Returns the affidavit of a session, locked until the transaction ends, or null. A transaction
 * that also locks the session locks the affidavit first, as publishing and giving up do.
 */
export async function lockAffidavit(tx: Tx, linkSessionId: string): Promise<AffidavitRow | null> {
  return firstOf(await lock(tx, { link_session_id: linkSessionId }));
}

/**
 * Stores the content at the decision, which is what will be signed. A later call replaces it.
 * Stores nothing if the check was redacted: after the lock the statement sees an earlier redaction.
 */
export async function freezeContent(
  tx: Tx,
  row: Pick<AffidavitRow, 'affidavit_id' | 'link_session_id'>,
  sealed: Buffer,
  before: Buffer | null = null,
): Promise<void> {
  await lockAffidavit(tx, row.link_session_id);
  await freeze(tx, { affidavit_id: row.affidavit_id, sealed, before });
}

/**
 * Records that an affidavit cannot be issued, also in the session. Returns null if that is already
 * recorded or the affidavit is available.
 */
export async function failAffidavit(
  tx: Tx,
  id: string,
  reason: string,
  now: Date,
): Promise<TrustCheckRow | null> {
  const failed = firstOf(await giveUp(tx, { id, reason, now }));
  return (
    failed && firstOf(await tellFailure(tx, { link_session_id: failed.link_session_id, reason }))
  );
}

/**
 * Plans the affidavits again that had failed by `failedUntil`, and returns their ids. Their
 * sessions stay `failed` until a new result. Skips redacted checks, because they have nothing left
 * to attest.
 */
export async function planFailedAgain(on: Queryable, failedUntil: Date): Promise<string[]> {
  const rows = await planAgain(on, { failedUntil });
  return rows.map(({ affidavit_id }) => affidavit_id);
}

export interface PublishedAffidavit {
  readonly affidavit_id: string;
  readonly affidavit_key: string;
  readonly version: number;
  readonly sha256: string;
  readonly base_sha256: string;
  readonly json_sha256: string;
  readonly size_bytes: number;
  readonly pades_level: string;
  readonly seal_kid: string;
  readonly sealed_at: Date;
  readonly available_at: Date;
  readonly development: boolean | null;
  /** When it is due to be archived again; never if omitted. */
  readonly renew_at?: Date | null;
  /** When a key that it may depend on was found stolen, if that is already known. */
  readonly recheck_since?: Date | null;
}

/**
 * Completes the manifest and updates the session. Returns null if that is already done.
 * @throws `gone` if the session was redacted
 */
export async function publishAffidavit(
  tx: Tx,
  row: PublishedAffidavit,
): Promise<TrustCheckRow | null> {
  const published = firstOf(
    await publish(tx, {
      affidavit_id: row.affidavit_id,
      affidavit_key: row.affidavit_key,
      sha256: row.sha256,
      base_sha256: row.base_sha256,
      json_sha256: row.json_sha256,
      size_bytes: row.size_bytes,
      pades_level: row.pades_level,
      seal_kid: row.seal_kid,
      sealed_at: row.sealed_at,
      available_at: row.available_at,
      version: row.version,
      development: row.development,
      renew_at: row.renew_at ?? null,
      recheck_since: row.recheck_since ?? null,
    }),
  );
  if (!published) return null;
  const { link_session_id } = published;
  const session = firstOf(
    await tellSession(tx, { link_session_id, sha256: row.sha256, available_at: row.available_at }),
  );
  if (!session) throw new Failure('gone', { detail: 'The check was redacted' });
  return session;
}
