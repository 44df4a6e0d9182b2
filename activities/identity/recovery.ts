import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { revokeByRecovery } from '../../db/queries/certificates.ts';
import type { NewEvent } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { lockLink, removeLink } from '../../db/queries/links.ts';
import {
  completeRecovery,
  endOtherSessions,
  expireRecovery,
  lockLiveRecovery,
  revokeOtherDevices,
  type RecoveryCheck,
  type RecoveryRow,
} from '../../db/queries/recoveries.ts';
import { inAccount } from '../../db/rights/account-scope.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import type { RecoveryState } from '../../domain/identity/recovery-names.ts';
import { isProven } from '../../workflows/proofs.ts';
import { appendByAccount, identityEvents } from './adopt.ts';
import { queueNotices, type NoticeAddress } from './members/notices.ts';

/** Milliseconds that a recovery waits for its check, its approval and the new device. */
export const recoveryLifeMs = 7 * 86_400_000;

interface EventSource {
  readonly ids: Ids;
  readonly now: Date;
}

/** Results of a recovery's check. Only `proven` can be approved. */
export const recoveryProofs = ['not_begun', 'running', 'failed', 'other_person', 'proven'] as const;
export type RecoveryProof = (typeof recoveryProofs)[number];

const ended = new Set(['failed', 'declined', 'expired', 'abandoned', 'canceled']);

/**
 * Judges the check of a recovery. It must have passed a document and a face. The person must have
 * passed an earlier check of the account with the same document.
 */
export function judgeRecovery(check: RecoveryCheck | null): RecoveryProof {
  if (!check) return 'not_begun';
  if (ended.has(check.status) || check.outcome_validity === 'revoked') return 'failed';
  if (check.status !== 'passed') return 'running';
  const passed = check.proofs.filter(isProven).map(({ type }) => type);
  const hasDocument = passed.includes('nfc_passport') || passed.includes('document');
  if (!hasDocument || !passed.includes('biometric')) return 'failed';
  return check.is_match ? 'proven' : 'other_person';
}

/** Whether a recovery still waits for its check, its decision or its device. */
export const isLive = ({ status, expires_at }: RecoveryRow, now: Date): boolean =>
  (status === 'open' || status === 'approved') && expires_at > now;

interface Step {
  readonly actor: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly events?: readonly NewEvent[];
}

const actions = {
  open: 'recovery.opened',
  approved: 'recovery.approved',
  denied: 'recovery.denied',
  canceled: 'recovery.canceled',
  completed: 'recovery.completed',
  expired: 'recovery.expired',
} as const satisfies Record<RecoveryState, string>;

/**
 * Writes a recovery's new state to the audit log of its account, and an event to every account of
 * the person. Call it last, since it locks the audit log and the streams.
 */
export async function reportRecovery(
  tx: Tx,
  { ids, now }: EventSource,
  row: RecoveryRow,
  { actor, details = {}, events = [] }: Step,
): Promise<void> {
  const { account_id: accountId, poly_user_id, recovery_id, status } = row;
  const entry = { accountId, actor, objectId: poly_user_id, action: actions[status] };
  await inAccount(accountId, () =>
    appendAudit(tx, { ...entry, details: { recovery_id, ...details } }, now),
  );
  const object = { poly_user_id, recovery_id, recovery_status: status };
  const updates = await identityEvents(tx, poly_user_id, 'identity.recovery_updated', object);
  await appendByAccount(tx, { ids, now }, [...events, ...updates]);
}

/** Deletes the link of a recovery that has ended, unless its check used it already. */
export async function closeRecoveryLink(
  tx: Tx,
  { link_uuid }: RecoveryRow,
  now: Date,
): Promise<NewEvent[]> {
  const link = link_uuid === null ? null : await lockLink(tx, link_uuid);
  if (!link || ['consumed', 'expired', 'deleted'].includes(link.status)) return [];
  const removed = await removeLink(tx, link.link_uuid, now);
  return removed ? [linkEvent(removed, 'link.deleted', link.status)] : [];
}

/** Returns the approved recovery that allows an enrollment of this person now, locked, or null. */
export async function lockAdmission(
  tx: Tx,
  polyUserId: string,
  now: Date,
): Promise<RecoveryRow | null> {
  const row = await lockLiveRecovery(tx, polyUserId);
  return row?.status === 'approved' && isLive(row, now) ? row : null;
}

/**
 * Completes a recovery with the device just enrolled. Revokes every other device, certificate and
 * session of the person. The session that enrolled stays, so that the request can be repeated.
 */
export async function finishRecovery(
  tx: Tx,
  deps: EventSource & { readonly sealer: Sealer },
  { recovery_id, poly_user_id: polyUserId }: RecoveryRow,
  by: { readonly deviceId: string; readonly sid: string },
  addresses: readonly NoticeAddress[],
): Promise<void> {
  const { now } = deps;
  const completed = await completeRecovery(tx, recovery_id, by.deviceId, now);
  const revoked = await revokeOtherDevices(tx, polyUserId, by.deviceId, now);
  await revokeByRecovery(tx, polyUserId, by.deviceId, { at: now, reason: 'unspecified' });
  await endOtherSessions(tx, polyUserId, by.sid, now);
  await queueNotices(tx, deps, completed, 'recovery_completed', addresses, now);
  const details = { device_id: by.deviceId, revoked_devices: revoked };
  await reportRecovery(tx, deps, completed, { actor: polyUserId, details });
}

/** Expires a recovery after its end. Does nothing if it has ended otherwise. */
export async function endUnused(tx: Tx, deps: EventSource, recoveryId: string): Promise<void> {
  const expired = await expireRecovery(tx, recoveryId, deps.now);
  if (!expired) return;
  const events = await closeRecoveryLink(tx, expired, deps.now);
  await reportRecovery(tx, deps, expired, { actor: 'platform', events });
}
