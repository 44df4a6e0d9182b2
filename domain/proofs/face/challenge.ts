/** What a challenge may ask for. Left and right are those of the person, not of the picture. */
export const faceActions = [
  'turn_left',
  'turn_right',
  'look_up',
  'look_down',
  'blink',
  'open_mouth',
] as const;
export type FaceAction = (typeof faceActions)[number];

/**
 * Frames of one answer: one that looks straight and three of each of four actions. What is sent
 * beyond them is not read.
 */
export const framesMax = 13;

/** What somebody was asked to do before a camera, in this order, and until when. */
export interface FaceChallenge {
  readonly actions: readonly FaceAction[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** When a frame was taken and what it answers, as the client that took it says. */
export interface FrameTiming {
  /** Since the challenge was issued. */
  readonly atMs: number;
  /** Index of the action it answers; -1 where the person looks straight. */
  readonly action: number;
}

/** A frame as it was handed in. */
export interface FaceFrame extends FrameTiming {
  readonly image: Uint8Array;
}
