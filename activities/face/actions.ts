import { faceActions, type FaceAction } from './challenge.ts';

/** Long enough to look around before a camera and to upload what it saw, and for no more. */
export const faceChallengeLifeMs = 60_000;
export const faceChallengeBytes = 32;
const actionsAsked = 3;

/**
 * The actions a challenge asks for, none twice in a row: all such sequences are equally likely, as
 * far as anybody could ever tell, since each comes of as many of the 2^256 challenges, or of one
 * more.
 */
export function actionsOf(challenge: Uint8Array): FaceAction[] {
  let left = BigInt(`0x${Buffer.from(challenge).toString('hex')}`);
  const drawn: FaceAction[] = [];
  while (drawn.length < actionsAsked) {
    const others = faceActions.filter((action) => action !== drawn.at(-1));
    const count = BigInt(others.length);
    drawn.push(...others.slice(Number(left % count)).slice(0, 1));
    left /= count;
  }
  return drawn;
}
