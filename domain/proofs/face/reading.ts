/** What the images of a comparison show. Plain data: read in one thread, judged in another. */
export interface FaceReading {
  /** Which networks and rules of reading made it: of others the numbers may differ. */
  readonly reader: string;
  readonly portrait: ImageReading;
  readonly frames: readonly ImageReading[];
}

export interface ImageReading {
  /** Why the file is no image that is taken here; null for one that is. */
  readonly refused: string | null;
  /** How many faces were found. */
  readonly faces: number;
  /** The largest of them. */
  readonly face: SeenFace | null;
  /** How the image looks as a whole, for telling one that was handed in twice: hexadecimal. */
  readonly print: string | null;
}

/** A face, in numbers that are rounded: the same image gives the same ones. */
export interface SeenFace {
  /** How sure it is that this is a face, from 0 to 1. */
  readonly certainty: number;
  /** Between the eyes, in pixels of the image. */
  readonly eyesApartPx: number;
  /** Of the face alone, 0 to 255. */
  readonly brightness: number;
  /** How steep its steepest edges are, whatever its size. */
  readonly sharpness: number;
  /** Part of it lies outside of the image. */
  readonly isCut: boolean;
  /** In degrees: to the person's left, up, and towards the right shoulder are above zero. */
  readonly pose: { readonly yaw: number; readonly pitch: number; readonly roll: number };
  /** How far the eyes are open, as part of their width: the person's left and right. */
  readonly eyes: { readonly left: number; readonly right: number };
  /** How far the lips are apart inside, in distances between the eyes. */
  readonly mouth: number;
  /**
   * How far the nose moved beside its column since the first frame that shows a face, to the right
   * in the image; null where the head is not turned, and where it cannot be told.
   */
  readonly relief: number | null;
  /**
   * Where parts of the face that do not move by themselves lie, the corners of the eyes first:
   * x, y, x, y, … in thousandths of the image's longer side.
   */
  readonly points: readonly number[];
  /** From 0, looks like a copy, to 1. A signal, no proof. */
  readonly realness: number;
  /** Who it is, as 128 numbers; null where it was not asked. */
  readonly descriptor: readonly number[] | null;
}

/** What is compared: the picture that says who somebody is, and frames of who is there. */
export interface FaceImages {
  readonly portrait: Uint8Array;
  readonly frames: readonly Uint8Array[];
}
