import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare, total } from '../prepare.ts';
import { devices } from '../schema/devices.ts';
import { and, isNull } from '../schema/drizzle.ts';

export type DeviceRow = typeof devices.$inferSelect;

const {
  app_id,
  attestation_serials,
  attested_key_id,
  created_at,
  device_id,
  evidence_sealed,
  last_seen_at,
  name,
  platform,
  poly_user_id,
  public_key_spki,
  revoked_at,
  signing_kid,
  verdict,
} = devices;

const byId = prepare('devices.by_id', { device_id }, ({ equals }) =>
  build.select().from(devices).where(equals.device_id),
);
const simulated = statement(
  'devices.simulated',
  `SELECT 1 FROM devices WHERE revoked_at IS NULL
   AND verdict @> '{"facts": {"development_root": true}}' LIMIT 1`,
);
const countOfUser = prepare('devices.count_of_user', { poly_user_id }, ({ equals }) =>
  build.select({ total }).from(devices).where(equals.poly_user_id),
);
const insert = prepare(
  'devices.insert',
  {
    device_id,
    poly_user_id,
    app_id,
    platform,
    attested_key_id,
    public_key_spki,
    evidence_sealed,
    verdict,
    signing_kid,
    name,
    created_at,
    attestation_serials,
  },
  ({ by }) =>
    build
      .insert(devices)
      .values(by)
      .onConflictDoNothing({ target: [platform, attested_key_id] })
      .returning(),
);
const raise = statement<DeviceRow>(
  'devices.raise_counter',
  `UPDATE devices SET counter = :counter, last_seen_at = :now
   WHERE device_id = :deviceId AND counter < :counter AND revoked_at IS NULL RETURNING *`,
);
const seen = prepare('devices.seen', { device_id, last_seen_at }, ({ by, equals }) =>
  build
    .update(devices)
    .set({ last_seen_at: by.last_seen_at })
    .where(and(equals.device_id, isNull(revoked_at))),
);
const revoke = statement<DeviceRow>(
  'devices.revoke',
  `UPDATE devices SET revoked_at = :now
   WHERE device_id = :deviceId AND poly_user_id = :polyUserId AND revoked_at IS NULL RETURNING *`,
);
const addUser = statement(
  'devices.add_user',
  `INSERT INTO poly_users (poly_user_id, identity_group_id, kind, created_at)
   VALUES (:polyUserId, :polyUserId, 'cert', :now)
     ON CONFLICT (poly_user_id) DO UPDATE SET kind = 'cert'`,
);

export async function findDevice(on: Queryable, deviceId: string): Promise<DeviceRow | null> {
  return firstOf(await byId(on, { device_id: deviceId }));
}

/** A device without its attestation data. */
export type ListedDevice = Pick<
  DeviceRow,
  | 'device_id'
  | 'platform'
  | 'app_id'
  | 'name'
  | 'signing_kid'
  | 'created_at'
  | 'last_seen_at'
  | 'revoked_at'
  | 'receipt_at'
  | 'risk_metric'
  | 'recall_status'
  | 'recall_at'
  | 'reinstall_detected'
  | 'device_flagged'
>;

/** Returns all devices of a person, newest first. Values: person id, limit, offset. */
export const listDevices: (
  on: Queryable,
  values: readonly [string, number, number],
) => Promise<ListedDevice[]> = statement<ListedDevice>(
  'devices.page_of_user',
  `SELECT device_id, platform, app_id, name, signing_kid, created_at, last_seen_at, revoked_at,
     receipt_at, risk_metric, recall_status, recall_at, reinstall_detected, device_flagged
   FROM devices WHERE poly_user_id = $1 ORDER BY created_at DESC, device_id LIMIT $2 OFFSET $3`,
);

/** Returns true if a phone attested by a simulator root is enrolled and not revoked. */
export async function hasSimulatedDevices(on: Queryable): Promise<boolean> {
  return (await simulated(on, [])).length > 0;
}

export async function countDevices(on: Queryable, polyUserId: string): Promise<number> {
  return firstOf(await countOfUser(on, { poly_user_id: polyUserId }))?.total ?? 0;
}

export type NewDevice = Parameters<typeof insert>[1];

/** Enrolls a device. Returns null if its key is already enrolled, for any person. */
export async function insertDevice(tx: Tx, row: NewDevice): Promise<DeviceRow | null> {
  return firstOf(await insert(tx, row));
}

/**
 * Compare-and-set of an App Attest counter. Returns false if it did not increase, or the device is
 * revoked.
 */
export async function raiseCounter(
  on: Queryable,
  deviceId: string,
  counter: number,
  now: Date,
): Promise<boolean> {
  return (await raise(on, { deviceId, counter, now })).length === 1;
}

export async function noteDeviceSeen(on: Queryable, deviceId: string, now: Date): Promise<void> {
  await seen(on, { device_id: deviceId, last_seen_at: now });
}

/** Revokes a person's own device. Returns null if it is not theirs or is already revoked. */
export async function revokeDevice(
  tx: Tx,
  deviceId: string,
  polyUserId: string,
  now: Date,
): Promise<DeviceRow | null> {
  return firstOf(await revoke(tx, { deviceId, polyUserId, now }));
}

/** Adds a person with a certified key, or upgrades an email-only person. */
export async function addCertUser(tx: Tx, polyUserId: string, now: Date): Promise<void> {
  await addUser(tx, { polyUserId, now });
}
