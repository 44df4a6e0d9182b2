import { faceActions, type FaceAction } from './challenge.ts';

/** Long enough to look around before a camera and to upload what it saw, and for no more. */
export const faceChallengeLifeMs = 60_000;
export const faceChallengeBytes = 33;

type Sequence = readonly FaceAction[];
const turns: Sequence = ['turn_left', 'turn_right'];
const nods: Sequence = ['look_up', 'look_down'];

const has = (sequence: Sequence, some: Sequence): boolean =>
  some.some((action) => sequence.includes(action));

/** All of so many actions, none twice in a row. */
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

/** Of one in six people an open mouth was not read: nobody is asked for it. */
const asked = faceActions.filter((action) => action !== 'open_mouth');
/** A turn and a nod in each. */
const sequences = [3, 4]
  .flatMap((count) => sequencesOf(asked, count))
  .filter((each) => has(each, turns) && has(each, nods));

export const sequencesCount = sequences.length;

/**
 * The actions a challenge asks for. All sequences are equally likely, as far as anybody could ever
 * tell: each comes of as many of the 2^264 challenges, or of one more.
 */
export function actionsOf(challenge: Uint8Array): Sequence {
  const drawn = BigInt(`0x${Buffer.from(challenge).toString('hex')}`);
  return sequences[Number(drawn % BigInt(sequences.length))] ?? [];
}
