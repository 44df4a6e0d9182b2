import type { PDFDocument, PDFRef } from 'pdf-lib';
import type { SetText } from './typeset.ts';

export type Weight = 'regular' | 'bold';

/** Text of one font, set and ready to be shown. */
export interface ShownRun {
  /** The resource name of the font. */
  readonly font: string;
  readonly set: SetText;
  /** The text in reading order, where the glyphs stand in another or share their letters. */
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

/** Embeds fonts for a text into a document. The caller passes it in, since fonts are files. */
export type EmbedFonts = (document: PDFDocument, text: string) => Promise<Fonts>;
