import type { PDFDocument, PDFRef } from 'pdf-lib';
import type { SetText } from './typeset.ts';

export type Weight = 'regular' | 'bold';

/** Text in one font, ready to be shown. */
export interface ShownRun {
  /** The resource name of the font. */
  readonly font: string;
  readonly set: SetText;
  /** The text in reading order, if the glyphs have another order or represent several letters. */
  readonly spoken: string | null;
}

/** The fonts of one document. */
export interface Fonts {
  readonly resources: Readonly<Record<string, PDFRef>>;
  clean(text: string): string;
  /** Width in points of a clean text. */
  width(text: string, size: number, weight: Weight): number;
  runs(text: string, weight: Weight): ShownRun[];
}

/** Embeds the fonts for a text into a document. Passed in by the caller, since fonts are files. */
export type EmbedFonts = (document: PDFDocument, text: string) => Promise<Fonts>;
