import type { RecallDue } from '../../workflows/device-recall/messages.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, without } from '../prepare.ts';
import { devices } from '../schema/devices.ts';
import { and, isNull, sql } from '../schema/drizzle.ts';
import type { DeviceRow } from './devices.ts';

const { device_id, recall_due, recall_status, tokens_sealed } = devices;

const begin = prepare('devices.begin_recall', { device_id, tokens_sealed }, ({ by, equals }) =>
  build
    .update(devices)
    .set({ tokens_sealed: by.tokens_sealed, recall_due: 'enrolled', recall_status: 'pending' })
    .where(and(equals.device_id, isNull(recall_status))),
);

/** Queues the vendor request about a new device, with its sealed tokens. */
export async function beginRecall(tx: Tx, deviceId: string, tokens: Uint8Array): Promise<void> {
  await begin(tx, { device_id: deviceId, tokens_sealed: tokens });
}

/** A phone with a pending vendor request. */
export interface DueRecall {
  readonly device_id: string;
  readonly app_id: string;
  readonly due: RecallDue;
}

/**
 * Lists at most `limit` phones with a pending vendor request, except those in `without`, oldest
 * first.
 */
export const listDueRecalls = prepare(
  'devices.due_recalls',
  { limit, without },
  ({ by }) => sql<DueRecall>`SELECT device_id, app_id, recall_due AS due FROM devices
   WHERE recall_due IS NOT NULL AND device_id <> ALL (${by.without}::text[])
   ORDER BY created_at LIMIT ${by.limit}`,
);

const started = prepare('devices.recall_started', { device_id, recall_due }, ({ equals }) =>
  build.update(devices).set({ recall_due: null }).where(and(equals.device_id, equals.recall_due)),
);

/** Records that the vendor request is started. A request that became due meanwhile stays due. */
export async function markRecallStarted(
  on: Queryable,
  { device_id, due }: Pick<DueRecall, 'device_id' | 'due'>,
): Promise<void> {
  await started(on, { device_id, recall_due: due });
}

/**
 * Deletes the tokens of phones for which no vendor request is possible. These are iPhones of other
 * teams than `$1`, and Android phones if `$2` is false.
 */
export const dropUnasked: (
  on: Queryable,
  values: readonly [readonly string[], boolean],
) => Promise<unknown> = statement(
  'devices.drop_unasked',
  `UPDATE devices d SET tokens_sealed = NULL, recall_due = NULL,
     recall_status = CASE recall_status WHEN 'pending' THEN NULL ELSE recall_status END,
     flag_status = CASE WHEN flag_status IS NULL THEN NULL ELSE 'unavailable' END
   FROM apps a
   WHERE a.app_id = d.app_id AND d.recall_due IS NOT NULL AND NOT (CASE d.platform
     WHEN 'ios' THEN coalesce(a.apple->>'team_id' = ANY ($1::text[]), false) ELSE $2 END)`,
);

const told = statement<DeviceRow>(
  'devices.recall_told',
  `UPDATE devices SET recall_status = 'told', recall_sealed = $2, recall_at = $3,
     reinstall_detected = $4, device_flagged = $5
   WHERE device_id = $1 AND recall_status = 'pending' RETURNING *`,
);

/**
 * Stores the vendor's response (sealed), its time and both bits. Returns null if one is already
 * stored.
 */
export async function keepRecall(
  tx: Tx,
  values: readonly [string, Uint8Array, Date, boolean, boolean],
): Promise<DeviceRow | null> {
  return firstOf(await told(tx, values));
}

const flaggedNow = statement<DeviceRow>(
  'devices.recall_flagged',
  `UPDATE devices SET recall_sealed = $2, recall_at = $3, device_flagged = true,
     recall_status = CASE recall_status WHEN 'noted' THEN 'noted' ELSE 'told' END,
     reinstall_detected = coalesce(reinstall_detected, $4)
   WHERE device_id = $1 AND device_flagged IS NOT TRUE RETURNING *`,
);

/**
 * Stores a flag that the vendor reported after the enrollment (sealed), its time, and whether it
 * marks an earlier enrollment. That mark may come from this enrollment, so it counts only if there
 * is no earlier report. Returns null if a flag is already stored.
 */
export async function keepFlag(
  tx: Tx,
  values: readonly [string, Uint8Array, Date, boolean],
): Promise<DeviceRow | null> {
  return firstOf(await flaggedNow(tx, values));
}

const settle = statement(
  'devices.recall_settled',
  `UPDATE devices SET
     recall_status = CASE WHEN :due = 'flagged' THEN recall_status
       WHEN :isWritten AND recall_status = 'told' THEN 'noted'
       WHEN recall_status = 'pending' THEN 'unavailable' ELSE recall_status END,
     flag_status = CASE WHEN :due = 'enrolled' THEN flag_status
       WHEN :isWritten THEN 'written' ELSE 'unavailable' END,
     tokens_sealed = CASE WHEN :due = 'flagged' OR recall_status = 'pending' THEN NULL
       ELSE tokens_sealed END
   WHERE device_id = :deviceId`,
);

/** Records whether the vendor has stored the bits that were due. */
export async function settleRecall(
  on: Queryable,
  deviceId: string,
  due: RecallDue,
  isWritten: boolean,
): Promise<void> {
  await settle(on, { deviceId, due, isWritten });
}

const flag = statement<Pick<DeviceRow, 'flag_status'>>(
  'devices.flag',
  `UPDATE devices SET
     recall_due = CASE WHEN tokens_sealed IS NULL THEN recall_due ELSE 'flagged' END,
     flag_status = CASE WHEN tokens_sealed IS NULL THEN 'unavailable' ELSE 'pending' END
   WHERE device_id = :deviceId AND flag_status IS NULL RETURNING flag_status`,
);

/** Queues a request that flags the phone of a device at its vendor, if a token of it is stored. */
export async function flagDevice(tx: Tx, deviceId: string): Promise<DeviceRow['flag_status']> {
  return firstOf(await flag(tx, { deviceId }))?.flag_status ?? null;
}
