import { Failure } from '../../workflows/failures.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { affidavits } from '../schema/affidavits.ts';
import { currentTraceparent } from '../traceparent.ts';
import type { TrustCheckRow } from './trust-checks.ts';

export type AffidavitRow = typeof affidavits.$inferSelect;

const { affidavit_id, link_session_id } = affidavits;

/** The channel on which a commit says that an affidavit has been planned. */
export const affidavitsChannel = 'affidavits';

const add = statement<{ affidavit_id: string }>(
  'affidavits.add',
  `WITH planned AS (
     INSERT INTO affidavits (affidavit_id, link_session_id, poly_user_id, account_id, app_id,
                             status, created_at, traceparent)
     VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7)
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
  `UPDATE affidavits f SET content_sealed = $2, status = 'signing'
   WHERE f.affidavit_id = $1 AND f.content_sealed IS NOT DISTINCT FROM $3 AND NOT EXISTS (
     SELECT 1 FROM trust_checks t
     WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   RETURNING f.*`,
);
const publish = statement<AffidavitRow>(
  'affidavits.publish',
  `UPDATE affidavits SET status = 'available', affidavit_key = $2, sha256 = $3, base_sha256 = $4,
     json_sha256 = $5, size_bytes = $6, pades_level = $7, seal_kid = $8, sealed_at = $9,
     available_at = $10, version = $11, development = $12, reason_code = NULL, failed_at = NULL,
     awaits_log_proof = true, renew_at = $13, recheck_since = $14
   WHERE affidavit_id = $1 AND status <> 'available' RETURNING *`,
);
const tellSession = statement<TrustCheckRow>(
  'affidavits.tell_session',
  `UPDATE trust_checks SET affidavit_status = 'available', affidavit_sha256 = $2,
     affidavit_available_at = $3, affidavit_reason = NULL
   WHERE link_session_id = $1 AND redacted_at IS NULL RETURNING *`,
);
const giveUp = statement<AffidavitRow>(
  'affidavits.give_up',
  `UPDATE affidavits SET status = 'failed', reason_code = $2, failed_at = $3
   WHERE affidavit_id = $1 AND status <> 'available' RETURNING *`,
);
const tellFailure = statement<TrustCheckRow>(
  'affidavits.tell_failure',
  `UPDATE trust_checks SET affidavit_status = 'failed', affidavit_reason = $2
   WHERE link_session_id = $1 AND affidavit_status <> 'failed' RETURNING *`,
);
const planAgain = statement<{ affidavit_id: string }>(
  'affidavits.plan_again',
  `UPDATE affidavits f SET status = 'pending'
   WHERE f.status = 'failed' AND f.failed_at <= $1 AND NOT EXISTS (
     SELECT 1 FROM trust_checks t
     WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   RETURNING affidavit_id`,
);

/**
 * Plans the one affidavit of a session; a repeat answers the id planned first. A relay starts it.
 */
export async function addAffidavit(
  tx: Tx,
  session: TrustCheckRow,
  affidavitId: string,
  now: Date,
): Promise<string> {
  const row = firstOf(
    await add(tx, [
      affidavitId,
      session.link_session_id,
      session.poly_user_id,
      session.account_id,
      session.app_id,
      now,
      currentTraceparent(),
    ]),
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

/** Planned affidavits whose workflow is not started yet, without those named, oldest first. */
export const listPendingAffidavits: (
  on: Queryable,
  values: readonly unknown[],
) => Promise<PendingAffidavit[]> = statement<PendingAffidavit>(
  'affidavits.pending',
  `SELECT a.affidavit_id, a.link_session_id, a.account_id, a.app_id, c.link_uuid, a.traceparent
   FROM affidavits a JOIN trust_checks c USING (link_session_id)
   WHERE a.status = 'pending' AND a.affidavit_id <> ALL ($2::text[])
   ORDER BY a.created_at LIMIT $1`,
);

/** An affidavit that has no proof of the public log beside it yet. */
export interface UnprovenAffidavit {
  readonly affidavit_id: string;
  readonly affidavit_key: string;
  readonly sha256: string;
  readonly sealed_at: Date;
}

/**
 * Available affidavits without such a proof, without those named, oldest first. Where witnesses
 * are wanted ($3 is what they have signed up to), entries beyond that wait, if since after $4.
 */
export const listUnprovenAffidavits = statement<UnprovenAffidavit>(
  'affidavits.unproven',
  `SELECT affidavit_id, affidavit_key, sha256, sealed_at FROM affidavits
   WHERE awaits_log_proof AND affidavit_id <> ALL ($2::text[])
     AND ($3::bigint IS NULL OR available_at <= $4 OR NOT EXISTS (
       SELECT 1 FROM transparency_entries e
       WHERE e.affidavit_id = affidavits.affidavit_id AND e.index >= $3))
   ORDER BY available_at LIMIT $1`,
);

/** Notes that the proof of an affidavit lies beside it. */
export const markAffidavitProven = statement(
  'affidavits.proven',
  'UPDATE affidavits SET awaits_log_proof = false WHERE affidavit_id = $1',
);

/** Notes that the workflow of an affidavit has been started. */
export const markAffidavitStarted = statement(
  'affidavits.started',
  `UPDATE affidavits SET status = 'signing' WHERE affidavit_id = $1 AND status = 'pending'`,
);

export async function findAffidavit(on: Queryable, id: string): Promise<AffidavitRow | null> {
  return firstOf(await find(on, { affidavit_id: id }));
}

/**
 * The affidavit of a session, locked until the transaction ends, or null. Whoever locks the session
 * too does so afterwards, as publishing and giving up do.
 */
export async function lockAffidavit(tx: Tx, linkSessionId: string): Promise<AffidavitRow | null> {
  return firstOf(await lock(tx, { link_session_id: linkSessionId }));
}

/**
 * Keeps the content once, or in the place of the one that was there before: what is signed later is
 * what was known at the decision. What was redacted meanwhile is not kept again: under the lock the
 * statement sees a redaction that came before.
 */
export async function freezeContent(
  tx: Tx,
  row: Pick<AffidavitRow, 'affidavit_id' | 'link_session_id'>,
  sealed: Buffer,
  before: Buffer | null = null,
): Promise<void> {
  await lockAffidavit(tx, row.link_session_id);
  await freeze(tx, [row.affidavit_id, sealed, before]);
}

/**
 * Notes that an affidavit cannot be issued, and tells the session; null when it was told before or
 * the affidavit has become available.
 */
export async function failAffidavit(
  tx: Tx,
  id: string,
  reason: string,
  now: Date,
): Promise<TrustCheckRow | null> {
  const failed = firstOf(await giveUp(tx, [id, reason, now]));
  return failed && firstOf(await tellFailure(tx, [failed.link_session_id, reason]));
}

/**
 * Plans those again that were given up by then, and gives their ids. Their sessions go on saying
 * `failed` until there is something else to say. What was redacted has nothing left to attest.
 */
export async function planFailedAgain(on: Queryable, failedUntil: Date): Promise<string[]> {
  const rows = await planAgain(on, [failedUntil]);
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
  /** When it is to be archived again; never where it is left out. */
  readonly renew_at?: Date | null;
  /** When a key was found stolen that it may rest on, where it was by then. */
  readonly recheck_since?: Date | null;
}

/**
 * Completes the manifest and tells the session; null when that was done before. Throws `gone` when
 * the session was redacted.
 */
export async function publishAffidavit(
  tx: Tx,
  row: PublishedAffidavit,
): Promise<TrustCheckRow | null> {
  const published = firstOf(
    await publish(tx, [
      row.affidavit_id,
      row.affidavit_key,
      row.sha256,
      row.base_sha256,
      row.json_sha256,
      row.size_bytes,
      row.pades_level,
      row.seal_kid,
      row.sealed_at,
      row.available_at,
      row.version,
      row.development,
      row.renew_at ?? null,
      row.recheck_since ?? null,
    ]),
  );
  if (!published) return null;
  const { link_session_id } = published;
  const session = firstOf(await tellSession(tx, [link_session_id, row.sha256, row.available_at]));
  if (!session) throw new Failure('gone', { detail: 'The check was redacted' });
  return session;
}
