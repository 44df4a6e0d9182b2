import { takeFaces } from '../../activities/proofs/face/read.ts';
import type { FaceAction, FaceChallenge, FaceFrame } from '../../domain/proofs/face/challenge.ts';
import { usualPolicy, verifyFaceMatch } from '../../domain/proofs/face/verify-face-match.ts';

export const judgedAt = new Date('2026-11-21T12:00:30Z');

export const challengeOf = (actions: readonly FaceAction[]): FaceChallenge => ({
  actions,
  issuedAt: new Date('2026-11-21T12:00:00Z'),
  expiresAt: new Date('2026-11-21T12:00:45Z'),
});

/** Frames that no other answer had. */
export const unseen = { same: 0, near: 0 } as const;

/** Takes and judges an answer as a live check does. */
export async function judgeAnswer(
  portrait: Uint8Array,
  frames: readonly FaceFrame[],
  actions: readonly FaceAction[],
) {
  const begun = process.cpuUsage();
  const { images, reading } = await takeFaces({ portrait, frames });
  const { user, system } = process.cpuUsage(begun);
  const policy = { ...usualPolicy, reader: reading.reader };
  const given = { challenge: challengeOf(actions), frames, repeats: unseen };
  const verdict = verifyFaceMatch(policy, given, reading, judgedAt);
  return { images, reading, verdict, cpuMs: (user + system) / 1000 };
}
