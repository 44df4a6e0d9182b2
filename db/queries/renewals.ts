import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { lockAffidavit, type AffidavitRow } from './affidavits.ts';

/** An affidavit whose archive is due to be made or renewed. */
export interface DueRenewal {
  readonly affidavit_id: string;
  readonly renew_at: Date;
}

/**
 * Affidavits due at an instant, after a position, oldest first. A file waits until its proof of the
 * public log is stored, because the log entry covers the first stored file. Redacted checks are
 * omitted.
 */
const due = statement<DueRenewal>(
  'renewals.due',
  `SELECT f.affidavit_id, f.renew_at FROM affidavits f
   WHERE f.renew_at <= :now AND (f.renew_at, f.affidavit_id) > (:renew_at, :affidavit_id)
     AND f.status = 'available' AND NOT f.awaits_log_proof AND NOT EXISTS (
       SELECT 1 FROM trust_checks t
       WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   ORDER BY f.renew_at, f.affidavit_id LIMIT :count`,
);
const renew = statement<{ link_session_id: string }>(
  'renewals.renew',
  `UPDATE affidavits f SET affidavit_key = :affidavit_key, version = :version, sha256 = :sha256,
   size_bytes = :size_bytes,
     pades_level = :pades_level, renewed_at = :renewed_at, renew_at = :renew_at,
     renewal_reason = NULL, recheck_since = NULL
   WHERE f.affidavit_id = :affidavit_id AND f.sha256 = :sha256Before AND f.status = 'available'
     AND f.recheck_since IS NOT DISTINCT FROM :recheckBefore AND NOT EXISTS (
     SELECT 1 FROM trust_checks t
     WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)
   RETURNING f.link_session_id`,
);
const tellSession = statement(
  'renewals.tell_session',
  'UPDATE trust_checks SET affidavit_sha256 = :sha256 WHERE link_session_id = :link_session_id',
);
const putOff = statement(
  'renewals.put_off',
  `UPDATE affidavits SET renew_at = :renewAt, renewal_reason = :reason,
     recheck_since = CASE WHEN :isJudged THEN NULL ELSE recheck_since END
   WHERE affidavit_id = :id AND sha256 = :sha256 AND recheck_since IS NOT DISTINCT FROM :found`,
);
const recheck = statement(
  'renewals.recheck',
  `UPDATE affidavits f SET recheck_since = :since, renew_at = :since
   WHERE f.status = 'available' AND (f.seal_kid = :sealKid OR :sealKid IS NULL)
     AND NOT EXISTS (
       SELECT 1 FROM trust_checks t
       WHERE t.link_session_id = f.link_session_id AND t.redacted_at IS NOT NULL)`,
);

const revoked = statement<{ revoked_at: Date | null }>(
  'renewals.lock_revoked',
  'SELECT revoked_at FROM certificates WHERE serial = ANY(:serials) ORDER BY serial FOR SHARE',
);

/**
 * Returns true if a certificate that a file depends on is revoked. Blocks revocations of these
 * certificates until the transaction ends; they then see the published file.
 */
export async function lockRevoked(tx: Tx, serials: readonly string[]): Promise<boolean> {
  const rows = await revoked(tx, { serials });
  return rows.some(({ revoked_at }) => revoked_at !== null);
}

/**
 * Marks affidavits to be judged again with revocation lists issued after an instant, because a key
 * was stolen. Covers those of one seal, or all.
 */
export async function recheckAffidavits(
  on: Queryable,
  since: Date,
  sealKid: string | null,
): Promise<void> {
  await recheck(on, { since, sealKid });
}

export const listDueRenewals = (
  on: Queryable,
  now: Date,
  after: DueRenewal,
  count: number,
): Promise<DueRenewal[]> =>
  due(on, { now, renew_at: after.renew_at, affidavit_id: after.affidavit_id, count });

/** The file that replaces the current one. */
export interface RenewedAffidavit {
  readonly affidavit_id: string;
  readonly link_session_id: string;
  /** SHA-256 of the replaced file. */
  readonly sha256Before: string;
  /** `recheck_since` as it was read. A mark that is set later prevents the replacement. */
  readonly recheckBefore: Date | null;
  readonly affidavit_key: string;
  readonly version: number;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly pades_level: string;
  readonly renewed_at: Date;
  readonly renew_at: Date | null;
}

/**
 * Replaces the file of an affidavit in the manifest and the session. Returns false if it was
 * replaced or marked meanwhile, or if the check was redacted.
 */
export async function renewAffidavit(tx: Tx, row: RenewedAffidavit): Promise<boolean> {
  // After the lock, the statement sees an earlier redaction.
  await lockAffidavit(tx, row.link_session_id);
  const renewed = firstOf(await renew(tx, row));
  if (!renewed) return false;
  await tellSession(tx, { link_session_id: row.link_session_id, sha256: row.sha256 });
  return true;
}

/**
 * Reschedules a renewal, or ends the schedule with null, and stores the reason of the failure.
 * Without a reason, or if `isJudged`, the file was found good despite any stolen key.
 */
export async function putOffRenewal(
  on: Queryable,
  row: Pick<AffidavitRow, 'affidavit_id' | 'sha256' | 'recheck_since'>,
  renewAt: Date | null,
  reason: string | null,
  isJudged = reason === null,
): Promise<void> {
  const { affidavit_id: id, sha256, recheck_since: found } = row;
  await putOff(on, { id, sha256, renewAt, reason, isJudged, found });
}
