import type { refusalOf } from './quality.ts';

/** The photographs of a document. */
export interface DocumentImages {
  readonly front: Uint8Array;
  readonly back?: Uint8Array | undefined;
}

/** An MRZ that two readers agree on, as it was printed as far as a camera can tell. */
export interface MrzReading {
  readonly lines: readonly string[];
}

/** What one photograph shows. Plain data: it is made in one thread and judged in another. */
export interface SideReading {
  /** Why the file is no image that is taken here; null for one that is. */
  readonly refused: string | null;
  readonly mrz: MrzReading | null;
  /** What a PDF417 barcode holds. */
  readonly barcode: string | null;
  /** Why nothing was read, were it the only side. */
  readonly refusal: ReturnType<typeof refusalOf>;
  /** Something that looks like an MRZ was seen. */
  readonly isSeen: boolean;
  /** What is printed for people, as far as it was looked at. */
  readonly words: readonly string[];
}

/** What both sides show. */
export interface DocumentReading {
  readonly front: SideReading;
  readonly back: SideReading | null;
}

/** Whether a side has a zone of three lines: the back of a TD1 card (ICAO 9303-5 §3). */
export const isBackOfCard = ({ mrz }: SideReading): boolean => mrz?.lines.length === 3;

/** The side with the portrait and the print: the front, whichever side was photographed first. */
export const printedSideOf = ({ front, back }: DocumentReading): SideReading =>
  back && isBackOfCard(front) && !isBackOfCard(back) ? back : front;
