import type { ListedDevice } from '../../db/queries/devices.ts';

/** Returns a device as its owner sees it. */
export function presentDevice(row: ListedDevice) {
  return {
    device_id: row.device_id,
    platform: row.platform,
    app_id: row.app_id,
    device_name: row.name,
    status: row.revoked_at ? ('revoked' as const) : ('active' as const),
    signing_kid: row.signing_kid,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    risk_metric: row.risk_metric,
    risk_metric_at: row.receipt_at?.toISOString() ?? null,
    recall_status: row.recall_status,
    recall_at: row.recall_at?.toISOString() ?? null,
    reinstall_detected: row.reinstall_detected,
    device_flagged: row.device_flagged,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
