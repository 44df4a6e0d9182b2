import { faceActions, type FaceAction } from './challenge.ts';

/** Long enough to perform the actions and to upload the frames, and not longer. */
export const faceChallengeLifeMs = 60_000;
export const faceChallengeBytes = 33;

type Sequence = readonly FaceAction[];
const turns: Sequence = ['turn_left', 'turn_right'];
const nods: Sequence = ['look_up', 'look_down'];

const has = (sequence: Sequence, some: Sequence): boolean =>
  some.some((action) => sequence.includes(action));

/** Returns all sequences of `count` actions without immediate repetition. */
function sequencesOf(actions: Sequence, count: number): readonly Sequence[] {
  return Array.from({ length: count }).reduce<readonly Sequence[]>(
    (begun) =>
      begun.flatMap((sequence) =>
        actions
          .filter((action) => action !== sequence.at(-1))
          .map((action) => [...sequence, action]),
      ),
    [[]],
  );
}

/** An open mouth could not be read for one person in six, so challenges never request it. */
const requestable = faceActions.filter((action) => action !== 'open_mouth');
/** Each has a turn and a nod. */
const sequences = [3, 4]
  .flatMap((count) => sequencesOf(requestable, count))
  .filter((each) => has(each, turns) && has(each, nods));

export const sequencesCount = sequences.length;

/**
 * Returns the actions that a challenge requests. All sequences are practically equally likely: the
 * numbers of the 2^264 challenges that lead to any two sequences differ by at most one.
 */
export function actionsOf(challenge: Uint8Array): Sequence {
  const drawn = BigInt(`0x${Buffer.from(challenge).toString('hex')}`);
  return sequences[Number(drawn % BigInt(sequences.length))] ?? [];
}
