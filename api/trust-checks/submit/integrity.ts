import { recallFile } from '../../../activities/proofs/device/enrollment.ts';
import { recallIn } from '../../../activities/proofs/device/google/play-recall.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { findDevice } from '../../../db/queries/devices.ts';
import { readRecall } from '../../../domain/proofs/device/verify-device-recall.ts';
import type { Deps } from '../../deps.ts';
import type { AttestedDevice } from '../../http/auth/caller.ts';

/** The evidence of Google Play's verdict on the phone; empty if it was not requested. */
export interface PlayIntegrityFacts {
  readonly integrity?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Judges the Play Integrity token in the `attest` header of an Android phone, against the nonce of
 * that header and the device's public key. Adds a file if Play recalls the phone as flagged.
 * Returns nothing without a token, and where this service does not use Play.
 * @throws Failure `dependency_unavailable` if Google does not answer
 */
export async function integrityOf(
  { db, attestation: { play } }: Pick<Deps, 'db' | 'attestation'>,
  attested: AttestedDevice | null,
  now: Date,
): Promise<PlayIntegrityFacts> {
  if (attested?.platform !== 'android' || attested.playToken === null) return {};
  const [app, device] = await Promise.all([
    findApp(db, attested.appId),
    findDevice(db, attested.deviceId),
  ]);
  if (!app?.android || !device || !play.isAskedOf(app.android)) return {};
  const asked = { token: attested.playToken, request: 'standard' } as const;
  const bound = { challenge: Buffer.from(attested.nonce), key: device.public_key_spki };
  const { file, verdict } = await play.judge(app.android, asked, bound, now);
  const recalled = recallIn(verdict.facts);
  if (recalled === null || !readRecall('android', recalled)?.flagged) return { integrity: [file] };
  return { integrity: [file, recallFile('android', recalled, now)] };
}
