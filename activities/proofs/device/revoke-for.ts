import type { Tx } from '../../../db/client.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { revokeByDevice } from '../../../db/queries/certificates.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import type { DeviceRow } from '../../../db/queries/devices.ts';
import { revokeDeviceFor } from '../../../db/queries/vendor-revoked.ts';
import type { DeviceEnd } from '../../../domain/names.ts';

export interface DeviceEndedBy {
  readonly reason: DeviceEnd;
  readonly actor: 'operator' | 'platform';
}

/**
 * Revokes a device with its certificates and sessions, for a reason other than its owner's request.
 * Appends to the audit log of the app's account. Workers fail the device's open checks.
 * @returns false if the device is already revoked
 */
export async function revokeFor(
  tx: Tx,
  { device_id: deviceId, app_id: appId }: Pick<DeviceRow, 'device_id' | 'app_id'>,
  { reason, actor }: DeviceEndedBy,
  now: Date,
): Promise<boolean> {
  if (!(await revokeDeviceFor(tx, deviceId, reason, now))) return false;
  await revokeByDevice(tx, deviceId, { at: now, reason: 'compromised' });
  const app = await findApp(tx, appId);
  if (!app) throw new Error('a device is of no app');
  const entry = {
    accountId: app.account_id,
    action: 'device.revoked',
    actor,
    objectId: deviceId,
    details: { app_id: appId, reason },
  } as const;
  await appendAudit(tx, entry, now);
  return true;
}
