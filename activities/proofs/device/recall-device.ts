import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import { transaction, type Db } from '../../../db/client.ts';
import { findDevice, type DeviceRow } from '../../../db/queries/devices.ts';
import { keepRecall, settleRecall } from '../../../db/queries/recalls.ts';
import { userOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import type { RecallInput, RecallStep } from '../../../workflows/device-recall/messages.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { RecallActivities } from './activities.ts';
import type { DeviceRecall, RecallCall } from './device-recall.ts';
import { openEnrollment, recallContext, recallFile, tokensContext } from './enrollment.ts';
import { revokeFor } from './revoke-for.ts';

export interface RecallDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  /** Client of each platform's vendor; null where none is configured. */
  readonly vendors: { readonly ios: DeviceRecall; readonly android: DeviceRecall | null };
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Called each time a vendor rejects our key: no recall works until an operator fixes it. */
  readonly countRefusal: (vendor: 'apple' | 'google') => void;
}

/**
 * Reads a vendor's recall of a device, and writes ours to the vendor. Each step can be repeated: a
 * stored recall is not read again, and a call has the same transaction id at each attempt. A flag
 * revokes the device in the transaction that stores it.
 * @throws Failure `platform_not_configured` when the vendor rejects our key, which is counted and
 * logged, and `dependency_unavailable`
 */
export function createRecallActivities(deps: RecallDeps): RecallActivities {
  return {
    async readBits(input) {
      const device = await findDevice(deps.db, input.device_id);
      if (device?.recall_status === 'told') return { outcome: stepOf(device) };
      if (device?.recall_status !== 'pending') return { outcome: 'over' };
      const call = await callOf(deps, device, input, 'read');
      const answer = call && (await ask(deps, device, (vendor) => vendor.readBits(call)));
      if (answer !== null) return keep(deps, device, answer);
      return unavailable(deps, input);
    },
    async writeBits(input) {
      const device = await findDevice(deps.db, input.device_id);
      if (!device?.tokens_sealed) return { outcome: 'over' };
      const call = await callOf(deps, device, input, 'write');
      // Writes both bits together: otherwise a late write for an enrollment would remove a flag.
      const flagged = device.flag_status !== null || device.device_flagged === true;
      const bits = { known: true, flagged } as const;
      const isWritten = call && (await ask(deps, device, (vendor) => vendor.writeBits(call, bits)));
      if (!isWritten) return unavailable(deps, input);
      await settleRecall(deps.db, input.device_id, input.due, true);
      return { outcome: 'written' };
    },
    endRecall: ({ device_id: deviceId, due }) => settleRecall(deps.db, deviceId, due, false),
  };
}

const stepOf = ({ device_flagged }: Pick<DeviceRow, 'device_flagged'>): RecallStep['outcome'] =>
  device_flagged ? 'flagged' : 'told';

async function unavailable(
  { db, log }: RecallDeps,
  { device_id, due }: RecallInput,
): Promise<RecallStep> {
  log.warn({ device_id, due }, 'no token of a phone that its vendor takes');
  await settleRecall(db, device_id, due, false);
  return { outcome: 'unavailable' };
}

const tokenList = z.array(z.string()).min(1).max(3);
/** An Apple token is for one call: to read, to record the enrollment, or to flag. */
const places = { read: 0, enrolled: 1, flagged: 2 } as const;

/** Returns the call of this step; null where no token is left for it. */
async function callOf(
  { sealer }: RecallDeps,
  device: DeviceRow,
  { due }: RecallInput,
  step: 'read' | 'write',
): Promise<RecallCall | null> {
  const { device_id: deviceId, platform, tokens_sealed: sealed } = device;
  if (!sealed) return null;
  const owner = userOwner(device.poly_user_id);
  const opened = await sealer.open(owner, tokensContext(deviceId), sealed);
  const tokens = tokenList.parse(JSON.parse(opened.toString()));
  const place = platform === 'android' ? 0 : places[step === 'read' ? step : due];
  const token = tokens[place];
  if (token === undefined) return null;
  const transactionId = uuidOf(`${deviceId}|${due}|${step}`);
  return { enrollment: await openEnrollment(sealer, device), token, transactionId };
}

/** Returns a UUID derived from a name (RFC 9562 §5.8). */
function uuidOf(name: string): string {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map((of) => hex.slice(...of)).join('-');
}

async function ask<T>(
  { vendors, countRefusal, log }: RecallDeps,
  { platform, device_id }: DeviceRow,
  work: (vendor: DeviceRecall) => Promise<T>,
): Promise<T> {
  try {
    const vendor = vendors[platform];
    if (!vendor) throw new Failure('platform_not_configured');
    return await work(vendor);
  } catch (error) {
    if (error instanceof Failure && error.code === 'platform_not_configured') {
      countRefusal(platform === 'ios' ? 'apple' : 'google');
      log.error({ device_id }, 'a vendor of phones refuses our key: nothing is recalled');
    }
    throw error;
  }
}

async function keep(deps: RecallDeps, device: DeviceRow, answer: string): Promise<RecallStep> {
  const { device_id: deviceId, platform } = device;
  const now = deps.clock();
  const file = recallFile(platform, answer, now);
  const { facts } = judgeEvidence(file);
  const [isKnown, isFlagged] = [facts['reinstall_detected'], facts['device_flagged']];
  const owner = userOwner(device.poly_user_id);
  const sealed = await deps.sealer.seal(owner, recallContext(deviceId), JSON.stringify(file));
  return transaction(deps.db, async (tx) => {
    const values = [deviceId, sealed, now, isKnown === true, isFlagged === true] as const;
    const kept = await keepRecall(tx, values);
    if (kept?.device_flagged) {
      await revokeFor(tx, kept, { reason: 'device_flagged', actor: 'platform' }, now);
    }
    return { outcome: kept ? stepOf(kept) : 'over' };
  });
}
