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

/** Has the vendor of a new device asked what it recalls of it, by these tokens, sealed. */
export async function beginRecall(tx: Tx, deviceId: string, tokens: Uint8Array): Promise<void> {
  await begin(tx, { device_id: deviceId, tokens_sealed: tokens });
}

/** A phone whose vendor has to be asked. */
export interface DueRecall {
  readonly device_id: string;
  readonly app_id: string;
  readonly due: RecallDue;
}

/** Phones whose vendor has to be asked, so many, without those named, the oldest first. */
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

/** Notes that the vendor is asked now; what became due meanwhile stays so. */
export async function markRecallStarted(
  on: Queryable,
  { device_id, due }: Pick<DueRecall, 'device_id' | 'due'>,
): Promise<void> {
  await started(on, { device_id, recall_due: due });
}

/**
 * Forgets the tokens of phones whose vendor nobody here can ask: iPhones but for those of these
 * teams, and Android phones unless they can be.
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

/** Keeps what the vendor said, sealed, when, and both bits; null where that was kept before. */
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
 * Keeps a flag that the vendor told after the enrollment, sealed, when, and whether it recalls an
 * enrollment: that may be this one, so it counts only where nothing was told before. Null where a
 * flag was kept before.
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

/** Notes whether the vendor has written what was due. */
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

/** Has the vendor flag the phone of a device, where a token of it is here. */
export async function flagDevice(tx: Tx, deviceId: string): Promise<DeviceRow['flag_status']> {
  return firstOf(await flag(tx, { deviceId }))?.flag_status ?? null;
}
