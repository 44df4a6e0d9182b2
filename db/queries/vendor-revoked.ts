import type { DeviceEnd } from '../../domain/names.ts';
import { firstOf, statement, type Tx } from '../client.ts';
import { limit, prepare, typed } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import type { DeviceRow } from './devices.ts';

/** The channel on which a commit says that checks of a revoked device have to be failed. */
export const endedDevicesChannel = 'ended_devices';

const revoke = statement<DeviceRow>(
  'devices.revoke_for',
  `UPDATE devices SET revoked_at = :now, revoked_for = :reason, ends_checks = true
   WHERE device_id = :deviceId AND revoked_at IS NULL RETURNING *`,
);
const tell = statement('devices.tell_ended', "SELECT pg_notify(:endedDevicesChannel, '')");

/**
 * Revokes a device for another's reason than its owner's; null when it was revoked before. The
 * workers hear of it and fail what it runs.
 */
export async function revokeDeviceFor(
  tx: Tx,
  deviceId: string,
  reason: DeviceEnd,
  now: Date,
): Promise<DeviceRow | null> {
  const revoked = firstOf(await revoke(tx, { deviceId, reason, now }));
  if (revoked) await tell(tx, { endedDevicesChannel });
  return revoked;
}

/** Devices whose chain has one of these serial numbers and that are not revoked, so many. */
export const listListed = prepare(
  'devices.listed',
  { serials: typed<readonly string[]>(), limit },
  ({ by }) => sql<Pick<DeviceRow, 'device_id' | 'app_id'>>`SELECT device_id, app_id FROM devices
   WHERE attestation_serials && ${by.serials}::text[] AND revoked_at IS NULL
     ORDER BY device_id LIMIT ${by.limit}`,
);

/** Forgets the revoked devices that run nothing any more. */
export const markChecksEnded = statement(
  'devices.checks_ended',
  `UPDATE devices SET ends_checks = false WHERE ends_checks AND NOT EXISTS (
     SELECT 1 FROM trust_checks t WHERE t.device_id = devices.device_id AND t.status NOT IN
       ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'))`,
);
