import type { AppleIdentity } from '../../domain/identity/app-identities.ts';
import { firstOf, statement, type Queryable } from '../client.ts';
import { build, limit, prepare, typed, without } from '../prepare.ts';
import { devices } from '../schema/devices.ts';
import { and, isNull, sql } from '../schema/drizzle.ts';
import type { DeviceRow } from './devices.ts';

const { device_id, followed_at } = devices;

/** An iPhone with its receipt and the current vendor identity of its app. */
export type ReceiptRow = Pick<
  DeviceRow,
  'device_id' | 'poly_user_id' | 'public_key_spki' | 'evidence_sealed' | 'receipt_sealed'
> & { readonly apple: AppleIdentity | null };

const open = statement<ReceiptRow>(
  'devices.open_receipt',
  `SELECT d.device_id, d.poly_user_id, d.public_key_spki, d.evidence_sealed, d.receipt_sealed,
     a.apple
   FROM devices d JOIN apps a USING (app_id)
   WHERE d.device_id = :deviceId AND d.platform = 'ios' AND d.revoked_at IS NULL`,
);

/** Returns an enrolled iPhone whose receipt may be renewed; null if it is revoked. */
export async function findReceipt(on: Queryable, deviceId: string): Promise<ReceiptRow | null> {
  return firstOf(await open(on, { deviceId }));
}

const keep = statement(
  'devices.keep_receipt',
  `UPDATE devices SET receipt_sealed = $2, receipt_at = $3, risk_metric = $4
   WHERE device_id = $1 AND (receipt_at IS NULL OR receipt_at < $3)`,
);

/** Stores a newer receipt. Values: device id, sealed receipt, its time, risk metric. */
export async function keepReceipt(
  on: Queryable,
  values: readonly [string, Uint8Array, Date, number | null],
): Promise<void> {
  await keep(on, values);
}

/** A device without a workflow that renews its receipt. */
export type DeviceWithoutReceipt = Pick<DeviceRow, 'device_id' | 'app_id'>;

/**
 * Lists at most `limit` enrolled iPhones of these teams without a receipt workflow, except those in
 * `without`. Reads app by app, oldest first, so that devices of other teams are not scanned.
 */
export const listWithoutReceiptWorkflow = prepare(
  'devices.unfollowed',
  { teams: typed<readonly string[]>(), limit, without },
  ({
    by,
  }) => sql<DeviceWithoutReceipt>`SELECT d.device_id, d.app_id FROM apps a CROSS JOIN LATERAL (
     SELECT device_id, app_id FROM devices
     WHERE app_id = a.app_id AND platform = 'ios' AND followed_at IS NULL AND revoked_at IS NULL
       AND device_id <> ALL (${by.without}::text[])
     ORDER BY created_at LIMIT ${by.limit}) d
   WHERE a.apple->>'team_id' = ANY (${by.teams}::text[]) LIMIT ${by.limit}`,
);

const followed = prepare('devices.followed', { device_id, followed_at }, ({ by, equals }) =>
  build
    .update(devices)
    .set({ followed_at: by.followed_at })
    .where(and(equals.device_id, isNull(followed_at))),
);

/** Records the start of the receipt workflow of a device. */
export async function markFollowed(on: Queryable, deviceId: string, now: Date): Promise<void> {
  await followed(on, { device_id: deviceId, followed_at: now });
}
