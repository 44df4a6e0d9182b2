import { transaction } from '../../db/client.ts';
import { revokeByDevice } from '../../db/queries/certificates.ts';
import { findDevice, revokeDevice } from '../../db/queries/devices.ts';
import { listRunningOf } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { cancelUpdate } from '../../workflows/trust-check/messages.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler } from '../http/contract.ts';
import { change, type ChangeDeps } from '../running-checks/change.ts';
import { deviceContracts } from './contract.ts';
import { presentDevice } from './present.ts';

/**
 * Revokes a device with its certificates and sessions, then fails its running checks. A repeated
 * request completes the rest, so that an outage of Temporal leaves no check running.
 */
export const revoke = handler(deviceContracts.revoke)(async (input, deps: ChangeDeps) => {
  const { device_id: deviceId } = input.path;
  const { polyUserId } = input.caller;
  const { now } = input.call;
  await transaction(deps.db, async (tx) => {
    const revoked = await revokeDevice(tx, deviceId, polyUserId, now);
    if (revoked) await revokeByDevice(tx, deviceId, { at: now, reason: 'unspecified' });
  });
  forgetPerson(polyUserId);
  const device = await findDevice(deps.db, deviceId);
  if (!device || device.poly_user_id !== polyUserId) throw new Failure('not_found');
  for (const id of await listRunningOf(deps.db, deviceId)) {
    const args = { reason: 'attestation_failed' } as const;
    await change(deps, id, cancelUpdate, [args], `device-revoked/${deviceId}`).catch(unlessDone);
  }
  return { status: 200, body: presentDevice(device) };
});

/** Ignores a check that was decided in the meantime. */
function unlessDone(error: unknown): void {
  if (error instanceof Failure && error.code === 'invalid_state') return;
  throw error;
}
