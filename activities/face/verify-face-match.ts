import type { Verdict } from '../evidence/verdict.ts';
import type { FaceChallenge, FrameTiming } from './challenge.ts';
import type { FaceReading } from './reading.ts';

export interface FaceMatchPolicy {
  /** The largest distance of two descriptors of one person; 0.5 when left out. */
  readonly threshold?: number | undefined;
  /** Up to this distance a person has to look; 0.6 when left out. */
  readonly review?: number | undefined;
}

export interface FaceMatchGiven {
  readonly challenge?: FaceChallenge | undefined;
  readonly frames: readonly FrameTiming[];
}

/** Judges whether the person in the frames is the one of the portrait, and is there. Pure. */
export function verifyFaceMatch(
  _policy: FaceMatchPolicy,
  _given: FaceMatchGiven,
  _reading: FaceReading,
  _at: Date,
): Verdict {
  throw new TypeError('to come');
}
