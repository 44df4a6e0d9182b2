import type { RecoveryState } from '../../domain/identity/recovery-names.ts';
import type { TrustCheckState } from '../../workflows/trust-check/state.ts';
import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { recoveries } from '../schema/recoveries.ts';
import type { ProofRow } from '../schema/trust-checks.ts';

export type RecoveryRow = typeof recoveries.$inferSelect;

const { decided_at, decided_by, recovery_id, status } = recoveries;

const live = `status IN ('open', 'approved')`;

const insert = statement<RecoveryRow>(
  'recoveries.insert',
  `INSERT INTO recoveries (recovery_id, account_id, poly_user_id, link_uuid, status, locale,
     opened_by, decided_by, created_at, expires_at, decided_at)
   VALUES (:recovery_id, :account_id, :poly_user_id, :link_uuid, :status, :locale, :opened_by,
     :decided_by, :created_at, :expires_at, :decided_at)
   ON CONFLICT (poly_user_id) WHERE ${live} DO NOTHING RETURNING *`,
);
const byId = prepare('recoveries.by_id', { recovery_id }, ({ equals }) =>
  build.select().from(recoveries).where(equals.recovery_id),
);
const lock = statement<RecoveryRow>(
  'recoveries.lock',
  `SELECT * FROM recoveries
   WHERE recovery_id = :id AND account_id = :accountId AND poly_user_id = :polyUserId FOR UPDATE`,
);
const lockLive = statement<RecoveryRow>(
  'recoveries.lock_live',
  `SELECT * FROM recoveries WHERE poly_user_id = :polyUserId AND ${live} FOR UPDATE`,
);
const findLive = statement<RecoveryRow>(
  'recoveries.find_live',
  `SELECT * FROM recoveries WHERE poly_user_id = :polyUserId AND ${live}`,
);
const decide = prepare(
  'recoveries.decide',
  { recovery_id, status, decided_by, decided_at },
  ({ by: { recovery_id: _id, ...row }, equals }) =>
    build.update(recoveries).set(row).where(equals.recovery_id).returning(),
);
const complete = statement<RecoveryRow>(
  'recoveries.complete',
  `UPDATE recoveries SET status = 'completed', device_id = :deviceId, completed_at = :now
   WHERE recovery_id = :id RETURNING *`,
);
const expire = statement<RecoveryRow>(
  'recoveries.expire',
  `UPDATE recoveries SET status = 'expired'
   WHERE recovery_id = :id AND ${live} AND expires_at <= :now RETURNING *`,
);
const ended = statement<{ recovery_id: string }>(
  'recoveries.ended',
  `SELECT recovery_id FROM recoveries
   WHERE ${live} AND expires_at <= :now ORDER BY expires_at LIMIT :lengthMax`,
);
const page = statement<RecoveryRow>(
  'recoveries.page',
  `SELECT * FROM recoveries WHERE account_id = :accountId AND poly_user_id = :polyUserId
   ORDER BY created_at DESC, recovery_id LIMIT :limit OFFSET :offset`,
);
const count = statement<{ total: number }>(
  'recoveries.count',
  `SELECT count(*)::int AS total
   FROM recoveries WHERE account_id = :accountId AND poly_user_id = :polyUserId`,
);

/** Checks `o` that identify the person: passed in this account, live, not revoked. */
const known = `FROM trust_checks o
     JOIN poly_users a ON a.poly_user_id = o.poly_user_id
     JOIN poly_users b USING (identity_group_id)
   WHERE o.account_id = :accountId AND b.poly_user_id = :polyUserId AND o.livemode
     AND o.status = 'passed'
     AND o.outcome_validity <> 'revoked' AND o.document_blind IS NOT NULL`;
const documents = statement<{ checks: number; chips: number }>(
  'recoveries.documents',
  `SELECT count(*)::int AS checks, count(*) FILTER (WHERE
     o.proofs @> '[{"type": "nfc_passport", "status": "passed"}]')::int AS chips ${known}`,
);
const checks = statement<RecoveryCheck>(
  'recoveries.check',
  `SELECT t.link_session_id, t.status, t.outcome_validity, t.proofs, EXISTS (
     SELECT 1 ${known} AND o.document_blind = t.document_blind
       AND o.link_session_id <> t.link_session_id AND o.decided_at < :createdAt) AS is_match
   FROM trust_checks t WHERE t.link_uuid = :linkUuid
   ORDER BY (t.status = 'passed') DESC, t.created_at DESC LIMIT 1`,
);
const approvers = statement<{ poly_user_id: string }>(
  'recoveries.approvers',
  `SELECT m.poly_user_id FROM memberships m JOIN poly_users u USING (poly_user_id)
   WHERE m.account_id = :accountId AND m.roles && '{ADMIN,POLYADMIN}' AND u.kind = 'cert'
     AND NOT EXISTS (SELECT FROM poly_users p WHERE p.poly_user_id IN (:openedBy, :polyUserId)
       AND p.identity_group_id = u.identity_group_id) LIMIT 1`,
);
const revokeDevices = statement<{ device_id: string }>(
  'devices.revoke_recovered',
  `UPDATE devices SET revoked_at = :now, revoked_for = 'recovery', ends_checks = true
   WHERE poly_user_id = :polyUserId AND device_id <> :deviceId AND revoked_at IS NULL
     RETURNING device_id`,
);
const endSessions = statement<{ sid: string }>(
  'sessions.end_recovered',
  `UPDATE sessions SET revoked_at = :now WHERE sid IN (
     SELECT sid FROM sessions
       WHERE poly_user_id = :polyUserId AND sid <> :sid AND revoked_at IS NULL
     ORDER BY sid FOR NO KEY UPDATE) RETURNING sid`,
);

/** The check of a recovery, and whether its document is one that the person submitted before. */
export interface RecoveryCheck {
  readonly link_session_id: string;
  readonly status: TrustCheckState;
  readonly outcome_validity: string;
  readonly proofs: readonly ProofRow[];
  readonly is_match: boolean;
}

export type NewRecovery = Omit<RecoveryRow, 'device_id' | 'completed_at'>;

/** Opens a recovery. Returns null if the person has a live one. */
export async function insertRecovery(tx: Tx, row: NewRecovery): Promise<RecoveryRow | null> {
  return firstOf(await insert(tx, row));
}

export async function findRecovery(on: Queryable, id: string): Promise<RecoveryRow | null> {
  return firstOf(await byId(on, { recovery_id: id }));
}

/** Returns a recovery of this member in this account, locked until the transaction ends. */
export async function lockRecovery(
  tx: Tx,
  id: string,
  accountId: number,
  polyUserId: string,
): Promise<RecoveryRow | null> {
  return firstOf(await lock(tx, { id, accountId, polyUserId }));
}

/** Returns the live recovery of a person in any account, locked until the transaction ends. */
export async function lockLiveRecovery(tx: Tx, polyUserId: string): Promise<RecoveryRow | null> {
  return firstOf(await lockLive(tx, { polyUserId }));
}

export async function findLiveRecovery(
  on: Queryable,
  polyUserId: string,
): Promise<RecoveryRow | null> {
  return firstOf(await findLive(on, { polyUserId }));
}

/** Changes the state of a recovery that the caller has locked. */
export async function decideRecovery(
  tx: Tx,
  id: string,
  status: Extract<RecoveryState, 'approved' | 'denied' | 'canceled'>,
  decidedBy: string,
  now: Date,
): Promise<RecoveryRow> {
  return only(
    await decide(tx, { recovery_id: id, status, decided_by: decidedBy, decided_at: now }),
  );
}

/** Completes a recovery that the caller has locked. */
export async function completeRecovery(
  tx: Tx,
  id: string,
  deviceId: string,
  now: Date,
): Promise<RecoveryRow> {
  return only(await complete(tx, { id, deviceId, now }));
}

/** Expires a live recovery past its end. Returns null if it is no longer live. */
export async function expireRecovery(tx: Tx, id: string, now: Date): Promise<RecoveryRow | null> {
  return firstOf(await expire(tx, { id, now }));
}

/** Lists at most `lengthMax` live recoveries past their end, oldest first. */
export async function listEndedRecoveries(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<string[]> {
  return (await ended(on, { now, lengthMax })).map(({ recovery_id }) => recovery_id);
}

/** Returns a page of the recoveries of a member, newest first, and the total count. */
export function listRecoveries(
  on: Queryable,
  accountId: number,
  polyUserId: string,
  [limit, offset]: readonly [number, number],
) {
  const by = { accountId, polyUserId };
  return withTotal(page(on, { ...by, limit, offset }), count(on, by));
}

/**
 * Returns the strongest kind of document with which a person has passed a check of this account. A
 * recovery compares with it. Returns null if they have passed none.
 */
export async function findPresentedDocument(
  on: Queryable,
  accountId: number,
  polyUserId: string,
): Promise<'nfc_passport' | 'document' | null> {
  const { checks: all, chips } = only(await documents(on, { accountId, polyUserId }));
  if (all === 0) return null;
  return chips > 0 ? 'nfc_passport' : 'document';
}

/** Returns the check of a recovery: the passed one, else the newest; null before it begins. */
export async function findRecoveryCheck(
  on: Queryable,
  { account_id: accountId, poly_user_id: polyUserId, link_uuid, created_at }: RecoveryRow,
): Promise<RecoveryCheck | null> {
  const by = { accountId, polyUserId, linkUuid: link_uuid, createdAt: created_at };
  return firstOf(await checks(on, by));
}

/** Returns true if an ADMIN with a certified device exists besides these two people. */
export async function hasApprover(
  on: Queryable,
  accountId: number,
  openedBy: string,
  polyUserId: string,
): Promise<boolean> {
  return (await approvers(on, { accountId, openedBy, polyUserId })).length > 0;
}

/** Revokes all devices of a person except one. The workers fail the checks that run on them. */
export async function revokeOtherDevices(
  tx: Tx,
  polyUserId: string,
  deviceId: string,
  now: Date,
): Promise<string[]> {
  const rows = await revokeDevices(tx, { polyUserId, deviceId, now });
  return rows.map(({ device_id }) => device_id);
}

/** Ends all sessions of a person except one. */
export async function endOtherSessions(
  tx: Tx,
  polyUserId: string,
  sid: string,
  now: Date,
): Promise<void> {
  await endSessions(tx, { polyUserId, sid, now });
}

function only<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('there is no such recovery');
  return row;
}
