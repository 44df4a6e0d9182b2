import { isLive, judgeRecovery } from '../../activities/identity/recovery.ts';
import type { Queryable } from '../../db/client.ts';
import { findRecoveryCheck, type RecoveryRow } from '../../db/queries/recoveries.ts';

/**
 * Returns a recovery as the API shows it. One past its expiry is `expired` even before the sweep.
 */
export async function presentRecovery(on: Queryable, row: RecoveryRow, now: Date) {
  const check = row.link_uuid === null ? null : await findRecoveryCheck(on, row);
  const isOpen = row.status === 'open' || row.status === 'approved';
  return {
    recovery_id: row.recovery_id,
    account_id: row.account_id,
    poly_user_id: row.poly_user_id,
    status: isOpen && !isLive(row, now) ? ('expired' as const) : row.status,
    proof: row.link_uuid === null ? null : judgeRecovery(check),
    link_uuid: row.link_uuid,
    link_session_id: check?.link_session_id ?? null,
    opened_by: row.opened_by,
    decided_by: row.decided_by,
    device_id: row.device_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
