import type { DeviceEnd } from '../../domain/names.ts';
import { firstOf, statement, type Tx } from '../client.ts';
import { limit, prepare, typed } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import type { DeviceRow } from './devices.ts';

/** NOTIFY channel for revoked devices whose checks must be failed. */
export const endedDevicesChannel = 'ended_devices';

const revoke = statement<DeviceRow>(
  'devices.revoke_for',
  `UPDATE devices SET revoked_at = :now, revoked_for = :reason, ends_checks = true
   WHERE device_id = :deviceId AND revoked_at IS NULL RETURNING *`,
);
const tell = statement('devices.tell_ended', "SELECT pg_notify(:endedDevicesChannel, '')");

/**
 * Revokes a device for a reason other than a request of its owner. Notifies the workers, which fail
 * its running checks. Returns null if it is already revoked.
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

/**
 * Lists at most `limit` devices that are not revoked and whose attestation chain has one of these
 * serial numbers.
 */
export const listListed = prepare(
  'devices.listed',
  { serials: typed<readonly string[]>(), limit },
  ({ by }) => sql<Pick<DeviceRow, 'device_id' | 'app_id'>>`SELECT device_id, app_id FROM devices
   WHERE attestation_serials && ${by.serials}::text[] AND revoked_at IS NULL
     ORDER BY device_id LIMIT ${by.limit}`,
);

/** Removes revoked devices without running checks from the outbox. */
export const markChecksEnded = statement(
  'devices.checks_ended',
  `UPDATE devices SET ends_checks = false WHERE ends_checks AND NOT EXISTS (
     SELECT 1 FROM trust_checks t WHERE t.device_id = devices.device_id AND t.status NOT IN
       ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled'))`,
);
