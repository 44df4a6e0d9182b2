/** Actions of a challenge. Left and right are the person's, not the picture's. */
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
 * Frames of one answer: one that looks straight and three for each of four actions. Further frames
 * are not read.
 */
export const framesMax = 13;

/** The requested actions in order, with the lifetime of the challenge. */
export interface FaceChallenge {
  readonly actions: readonly FaceAction[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** When a frame was taken and which action it shows, as reported by the client. */
export interface FrameTiming {
  /** Milliseconds since the challenge was issued. */
  readonly atMs: number;
  /** Index of the action; -1 if the person looks straight. */
  readonly action: number;
}

/** A frame as submitted. */
export interface FaceFrame extends FrameTiming {
  readonly image: Uint8Array;
}
