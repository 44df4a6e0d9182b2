/**
 * The content of the images of a comparison. Plain data: one thread reads it, another judges it.
 */
export interface FaceReading {
  /** The networks and reading rules in use. With others, the numbers may differ. */
  readonly reader: string;
  readonly portrait: ImageReading;
  readonly frames: readonly ImageReading[];
}

export interface ImageReading {
  /** Why the file is not an acceptable image; null if it is. */
  readonly refused: string | null;
  /** Number of faces found. */
  readonly faces: number;
  /** The largest of them. */
  readonly face: SeenFace | null;
  /** Fingerprint of the image in hexadecimal, to detect resubmission. */
  readonly print: string | null;
}

/** A face in rounded numbers: the same image gives the same numbers. */
export interface SeenFace {
  /** Confidence that this is a face, 0 to 1. */
  readonly certainty: number;
  /** Distance between the eyes, in pixels of the image. */
  readonly eyesApartPx: number;
  /** Of the face only, 0 to 255. */
  readonly brightness: number;
  /** Steepness of its steepest edges, independent of its size. */
  readonly sharpness: number;
  /** Whether part of it is outside the image. */
  readonly isCut: boolean;
  /** In degrees. Positive: to the person's left, up, and toward the right shoulder. */
  readonly pose: { readonly yaw: number; readonly pitch: number; readonly roll: number };
  /** Opening of the person's left and right eye, as a share of its width. */
  readonly eyes: { readonly left: number; readonly right: number };
  /** Gap between the inner lips, in distances between the eyes. */
  readonly mouth: number;
  /**
   * How far the nose moved relative to its column since the first frame with a face, to the right
   * in the image. Null if the head is not turned or it cannot be measured.
   */
  readonly relief: number | null;
  /**
   * Positions of rigid parts of the face, the corners of the eyes first: x, y, x, y, … in
   * thousandths of the image's longer side.
   */
  readonly points: readonly number[];
  /** From 0 (looks like a copy) to 1. A signal, not a proof. */
  readonly realness: number;
  /** Descriptor of the person, 128 numbers; null if not computed. */
  readonly descriptor: readonly number[] | null;
}

/** The images to compare: the portrait, and frames of the person. */
export interface FaceImages {
  readonly portrait: Uint8Array;
  readonly frames: readonly Uint8Array[];
}
