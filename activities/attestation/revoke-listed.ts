import { transaction, type Db } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { revokeByDevice } from '../../db/queries/certificates.ts';
import { findApp } from '../../db/queries/credentials.ts';
import type { DeviceRow } from '../../db/queries/devices.ts';
import { listListed, revokeDeviceFor } from '../../db/queries/vendor-revoked.ts';
import type { StatusList } from './status-list.ts';

const batchSize = 1_000;

/**
 * Revokes a device whose vendor has revoked a key of its attestation, with its certificates and
 * sessions, and tells the audit log of the app's account; the checks it runs are failed by the
 * workers. Once revoked it is left as it is.
 */
export async function revokeForKey(
  db: Db,
  { device_id: deviceId, app_id: appId }: Pick<DeviceRow, 'device_id' | 'app_id'>,
  now: Date,
): Promise<void> {
  await transaction(db, async (tx) => {
    const revoked = await revokeDeviceFor(tx, deviceId, 'key_revoked', now);
    if (!revoked) return;
    await revokeByDevice(tx, deviceId, { at: now, reason: 'compromised' });
    const app = await findApp(tx, appId);
    if (!app) throw new Error('a device is of no app');
    const entry = {
      accountId: app.account_id,
      action: 'device.revoked',
      actor: 'platform',
      objectId: deviceId,
      details: { app_id: appId, reason: 'key_revoked' },
    } as const;
    await appendAudit(tx, entry, now);
  });
}

/** Revokes every enrolled device of which a certificate is on the list; gives how many. */
export async function revokeListed(db: Db, list: StatusList, now: Date): Promise<number> {
  const serials = [...list.entries.keys()];
  for (let count = 0; ;) {
    const listed = await listListed(db, [serials, batchSize]);
    for (const device of listed) await revokeForKey(db, device, now);
    count += listed.length;
    if (listed.length < batchSize) return count;
  }
}
