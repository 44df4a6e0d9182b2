import { faceActions, type FaceAction } from './challenge.ts';

/** Long enough to look around before a camera and to upload what it saw, and for no more. */
export const faceChallengeLifeMs = 60_000;
export const faceChallengeBytes = 32;
const actionsAsked = 3;

/** Every sequence that can be asked for: none twice in a row, and a turn that shows depth. */
const sequences: readonly (readonly FaceAction[])[] = Array.from({ length: actionsAsked })
  .reduce<readonly (readonly FaceAction[])[]>(
    (begun) =>
      begun.flatMap((actions) =>
        faceActions
          .filter((action) => action !== actions.at(-1))
          .map((action) => [...actions, action]),
      ),
    [[]],
  )
  .filter((actions) => actions.some((action) => action.startsWith('turn_')));

/**
 * The actions a challenge asks for. All sequences are equally likely, as far as anybody could ever
 * tell: each comes of as many of the 2^256 challenges, or of one more.
 */
export function actionsOf(challenge: Uint8Array): readonly FaceAction[] {
  const drawn = BigInt(`0x${Buffer.from(challenge).toString('hex')}`);
  return sequences[Number(drawn % BigInt(sequences.length))] ?? [];
}
