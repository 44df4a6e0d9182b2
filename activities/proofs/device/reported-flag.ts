import type { Tx } from '../../../db/client.ts';
import type { DeviceRow } from '../../../db/queries/devices.ts';
import { keepFlag } from '../../../db/queries/recalls.ts';
import { userOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { recallContext, type EvidenceFile } from './enrollment.ts';
import { revokeFor } from './revoke-for.ts';

/** What has to hold before anything that a token says is said of this phone. */
const ofThisPhone: ReadonlySet<string> = new Set(['decode', 'testing', 'package', 'request']);

/** Whether a verdict on a token is of the app and the request it came with, whatever it says. */
const isOfPhone = ({ kind, checks }: Verdict): boolean =>
  kind === 'play-integrity' &&
  checks.every(({ name, result }) => !ofThisPhone.has(name) || result === 'ok');

/**
 * The flag that the vendor of a phone recalls in what it said for this very request, as evidence;
 * null without one. A token of another request flags nobody.
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
 * Keeps that flag as what is recalled after an enrollment is kept, and revokes the device with the
 * same commit; nothing where it was kept before.
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
  /** Whether an enrollment is recalled besides. */
  readonly isKnown: boolean;
}
