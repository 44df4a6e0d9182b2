import { recallFile } from '../../../activities/proofs/device/enrollment.ts';
import { recallIn } from '../../../activities/proofs/device/google/play-recall.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { findDevice } from '../../../db/queries/devices.ts';
import { readRecall } from '../../../domain/proofs/device/verify-device-recall.ts';
import type { Deps } from '../../deps.ts';
import type { AttestedDevice } from '../../http/auth/caller.ts';

/** The evidence of what Google Play says of a phone now; nothing where it was not asked. */
export interface PlayIntegrityFacts {
  readonly integrity?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Judges the token that an Android phone brought in its `attest` header, over the nonce of that
 * header and its own public key; what Play recalls as flagged is told beside it. Without a token,
 * and where this service asks Play for nothing, there is nothing to judge. Throws
 * `dependency_unavailable` when Google has to be asked and does not answer.
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
