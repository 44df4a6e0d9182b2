import { firstOf, statement, type Queryable } from '../client.ts';
import type { AppleIdentity } from '../schema/accounts.ts';
import type { DeviceRow } from './devices.ts';

/** An iPhone as far as its receipt is concerned, with the identity of its app at the vendor. */
export type ReceiptRow = Pick<
  DeviceRow,
  'device_id' | 'poly_user_id' | 'public_key_spki' | 'evidence_sealed' | 'receipt_sealed'
> & { readonly apple: AppleIdentity };

const open = statement<ReceiptRow>(
  'devices.open_receipt',
  `SELECT d.device_id, d.poly_user_id, d.public_key_spki, d.evidence_sealed, d.receipt_sealed,
     a.apple
   FROM devices d JOIN apps a USING (app_id)
   WHERE d.device_id = $1 AND d.platform = 'ios' AND d.revoked_at IS NULL AND a.apple IS NOT NULL`,
);

/** An enrolled iPhone whose receipt may be renewed; null once it is revoked. */
export async function findReceipt(on: Queryable, deviceId: string): Promise<ReceiptRow | null> {
  return firstOf(await open(on, [deviceId]));
}

const keep = statement(
  'devices.keep_receipt',
  `UPDATE devices SET receipt_sealed = $2, receipt_at = $3, risk_metric = $4
   WHERE device_id = $1 AND (receipt_at IS NULL OR receipt_at < $3)`,
);

/** Keeps a newer receipt of a device: of whom, sealed, when it came, and its risk metric. */
export async function keepReceipt(
  on: Queryable,
  values: readonly [string, Uint8Array, Date, number | null],
): Promise<void> {
  await keep(on, values);
}

/** Whose receipt nobody follows yet. */
export type UnfollowedDevice = Pick<DeviceRow, 'device_id' | 'app_id'>;

/** Enrolled iPhones of these teams whose receipt nobody follows, so many, without those named. */
export const listUnfollowed: (
  on: Queryable,
  values: readonly [readonly string[], number, readonly string[]],
) => Promise<UnfollowedDevice[]> = statement(
  'devices.unfollowed',
  `SELECT d.device_id, d.app_id FROM devices d JOIN apps a USING (app_id)
   WHERE d.unfollowed AND d.revoked_at IS NULL AND a.apple->>'team_id' = ANY ($1::text[])
     AND d.device_id <> ALL ($3::text[])
   ORDER BY d.created_at LIMIT $2`,
);

const followed = statement(
  'devices.followed',
  'UPDATE devices SET unfollowed = false WHERE device_id = $1 AND unfollowed',
);

/** Notes that somebody follows the receipt of a device. */
export async function markFollowed(on: Queryable, deviceId: string): Promise<void> {
  await followed(on, [deviceId]);
}
