/** A rectangle in pixels of a frame; x and y are its upper left corner. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Width and height in millimeters: ISO/IEC 7810 ID-1, and ICAO 9303-4 (TD3). */
const sizesMm = { card: [85.6, 54], passport_page: [125, 88] } as const;

export type DocumentShape = keyof typeof sizesMm;

/** Leaves room around the document, so that its edges are in the picture. */
const guideShare = 0.86;

/** Returns the largest centered rectangle of the document's ratio within 86 % of the frame. */
export function guideIn(width: number, height: number, shape: DocumentShape): Rectangle {
  const [widthMm, heightMm] = sizesMm[shape];
  const scale = guideShare * Math.min(width / widthMm, height / heightMm);
  const guide = { width: widthMm * scale, height: heightMm * scale };
  return { x: (width - guide.width) / 2, y: (height - guide.height) / 2, ...guide };
}
