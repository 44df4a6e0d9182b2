import type { Tx } from '../../../db/client.ts';
import type { DeviceRow } from '../../../db/queries/devices.ts';
import { keepFlag } from '../../../db/queries/recalls.ts';
import { userOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { recallContext, type EvidenceFile } from './enrollment.ts';
import { revokeFor } from './revoke-for.ts';

/** Checks that must pass before a token's content counts for this device. */
const ofThisPhone: ReadonlySet<string> = new Set(['decode', 'testing', 'package', 'request']);

/** Reports whether a token belongs to this app and this request, whatever its verdict. */
const isOfPhone = ({ kind, checks }: Verdict): boolean =>
  kind === 'play-integrity' &&
  checks.every(({ name, result }) => !ofThisPhone.has(name) || result === 'ok');

/**
 * Returns the evidence of a flag that the vendor recalled for this request; null without one. A
 * token of another request flags no device.
 */
export function reportedFlagOf(
  said: readonly EvidenceFile[],
  verdicts: readonly Verdict[],
): EvidenceFile | null {
  const isFlagged = verdicts.some(({ reason_code: reason }) => reason === 'device_flagged');
  if (!isFlagged || !verdicts.some(isOfPhone)) return null;
  return said.find(({ kind }) => kind === 'device-recall') ?? null;
}

/**
 * Stores the flag like a recall after an enrollment, and revokes the device in the same
 * transaction. Does nothing where a flag is already stored.
 */
export async function keepReportedFlag(
  tx: Tx,
  sealer: Sealer,
  { device, file, isKnown }: FlaggedNow,
  now: Date,
): Promise<void> {
  const { device_id: deviceId, poly_user_id: polyUserId } = device;
  const context = recallContext(deviceId);
  const sealed = await sealer.seal(userOwner(polyUserId), context, JSON.stringify(file));
  const kept = await keepFlag(tx, [deviceId, sealed, now, isKnown]);
  if (kept) await revokeFor(tx, kept, { reason: 'device_flagged', actor: 'platform' }, now);
}

interface FlaggedNow {
  readonly device: DeviceRow;
  readonly file: EvidenceFile;
  /** Whether the vendor also recalls an earlier enrollment. */
  readonly isKnown: boolean;
}
