import type { FaceFrame } from './challenge.ts';
import type { FaceReading } from './reading.ts';

/** What is compared: the picture that says who somebody is, and frames of who is there. */
export interface FaceImages {
  readonly portrait: Uint8Array;
  readonly frames: readonly FaceFrame[];
}

/** Images as they are kept, and what they show. */
export interface TakenFaces {
  readonly images: { readonly portrait: Uint8Array; readonly frames: readonly Uint8Array[] };
  readonly reading: FaceReading;
}

/**
 * Takes a portrait and frames as they were handed in: gives the images to keep and what they show.
 * The same images give the same reading. Never throws for what an image holds.
 */
export async function takeFaces(_given: FaceImages): Promise<TakenFaces> {
  throw new TypeError('to come');
}
