import { revokeFor } from '../../activities/proofs/device/revoke-for.ts';
import { transaction, type Db } from '../../db/client.ts';
import { findDevice } from '../../db/queries/devices.ts';
import { flagDevice } from '../../db/queries/recalls.ts';
import { AdminFault } from './admin.ts';

/**
 * Revokes a device with its certificates, sessions and checks, and has its vendor flag the phone,
 * which then cannot enroll anew; gives whether the flag is `pending`, or `unavailable` where no
 * token of the phone is here. One that its owner has revoked is flagged all the same. Throws
 * `AdminFault` where there is no such device, or it was flagged before.
 */
export function revokeForFraud(db: Db, deviceId: string, now: Date): Promise<string> {
  return transaction(db, async (tx) => {
    const device = await findDevice(tx, deviceId);
    if (!device) throw new AdminFault(`${deviceId}: there is no such device`);
    await revokeFor(tx, device, { reason: 'operator', actor: 'operator' }, now);
    const flag = await flagDevice(tx, deviceId);
    if (!flag) throw new AdminFault(`${deviceId}: was flagged before`);
    return flag;
  });
}
