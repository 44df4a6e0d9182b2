import { revokeFor } from '../../activities/proofs/device/revoke-for.ts';
import { transaction, type Db } from '../../db/client.ts';
import { findDevice } from '../../db/queries/devices.ts';
import { flagDevice } from '../../db/queries/recalls.ts';
import { AdminFault } from './admin.ts';

/**
 * Revokes a device with its certificates, sessions and checks, and queues the flag at its vendor. A
 * flagged phone cannot enroll again. Returns the state of the flag: `pending`, or `unavailable` if
 * no token of the phone is stored. A device that its owner has revoked is flagged too.
 * @throws AdminFault if the device does not exist or is already flagged
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
