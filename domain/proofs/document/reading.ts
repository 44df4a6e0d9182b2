import type { refusalOf } from './quality.ts';

/** The photographs of a document. */
export interface DocumentImages {
  readonly front: Uint8Array;
  readonly back?: Uint8Array | undefined;
}

/** An MRZ on which two readers agree. */
export interface MrzReading {
  readonly lines: readonly string[];
}

/** The content of one photograph. Plain data: one thread creates it and another judges it. */
export interface SideReading {
  /** Why the file is not an acceptable image; null if it is. */
  readonly refused: string | null;
  readonly mrz: MrzReading | null;
  /** The text of a PDF417 barcode. */
  readonly barcode: string | null;
  /** Why nothing was read, as if this were the only side. */
  readonly refusal: ReturnType<typeof refusalOf>;
  /** Whether something that looks like an MRZ was found. */
  readonly isSeen: boolean;
  /** The printed words, if they were read. */
  readonly words: readonly string[];
}

/** The content of both sides. */
export interface DocumentReading {
  readonly front: SideReading;
  readonly back: SideReading | null;
}

/** Whether a side has a zone of three lines: the back of a TD1 card (ICAO 9303-5 §3). */
export const isBackOfCard = ({ mrz }: SideReading): boolean => mrz?.lines.length === 3;

/** Returns the side with portrait and print, whichever side was photographed first. */
export const printedSideOf = ({ front, back }: DocumentReading): SideReading =>
  back && isBackOfCard(front) && !isBackOfCard(back) ? back : front;
