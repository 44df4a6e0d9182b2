import { transaction, type Db } from '../../../../db/client.ts';
import type { DeviceRow } from '../../../../db/queries/devices.ts';
import { listListed } from '../../../../db/queries/vendor-revoked.ts';
import type { StatusList } from '../../../../domain/proofs/device/android/status-list.ts';
import { revokeFor } from '../revoke-for.ts';

const batchSize = 1_000;

/** Revokes a device and everything that depends on it, because its vendor revoked its key. */
export async function revokeForKey(
  db: Db,
  device: Pick<DeviceRow, 'device_id' | 'app_id'>,
  now: Date,
): Promise<void> {
  const end = { reason: 'key_revoked', actor: 'platform' } as const;
  await transaction(db, (tx) => revokeFor(tx, device, end, now));
}

/** Revokes every enrolled device with a certificate on the list, and returns their number. */
export async function revokeListed(db: Db, list: StatusList, now: Date): Promise<number> {
  const serials = [...list.entries.keys()];
  for (let count = 0; ;) {
    const listed = await listListed(db, { serials, limit: batchSize });
    for (const device of listed) await revokeForKey(db, device, now);
    count += listed.length;
    if (listed.length < batchSize) return count;
  }
}
