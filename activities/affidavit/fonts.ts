import fontkit, { type Font } from '@cantoo/fontkit';
import type { PDFDocument, PDFRef } from 'pdf-lib';
import { fontFiles as files } from './renderer-id.ts';
import { isArabicNeeded, legible, visualRuns, type Coverage, type Run } from './legible.ts';
import { setText, type Face, type SetText } from './typeset.ts';

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

const rememberedMax = 4_096;
const rememberedLengthMax = 32;

/**
 * A font that remembers how words are laid out: setting text is most of what pages cost, and nearly
 * all of their words are the same in every affidavit.
 */
function fontOf(bytes: Uint8Array): Font {
  const font = fontkit.create(bytes);
  if (!('layout' in font)) throw new Error('a font file holds a collection');
  const lay = font.layout.bind(font);
  const remembered = new Map<string, ReturnType<Font['layout']>>();
  font.layout = (text, ...others) => {
    if (others.some((other) => other !== undefined) || text.length > rememberedLengthMax) {
      return lay(text, ...others);
    }
    const known = remembered.get(text);
    if (known) return known;
    const laid = lay(text);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(text, laid);
    return laid;
  };
  return font;
}

/** The fonts to lay text out by, the same for all documents: which glyphs one needs, it notes. */
const fonts = {
  regular: fontOf(files.regular),
  bold: fontOf(files.bold),
  arabic: fontOf(files.arabic),
};
const fontsByFile = new Map([
  [files.regular, fonts.regular],
  [files.bold, fonts.bold],
  [files.arabic, fonts.arabic],
]);
const coverage: Coverage = {
  latin: new Set(fonts.regular.characterSet),
  arabic: new Set(fonts.arabic.characterSet),
};

/**
 * Embeds the fonts: Latin, Greek and Cyrillic in two weights; Arabic in one, where it is needed.
 * @param text all that is to be set
 */
export async function embedFonts(document: PDFDocument, text: string): Promise<Fonts> {
  document.registerFontkit({ create: (bytes) => fontsByFile.get(bytes) ?? fontkit.create(bytes) });
  const embed = async (name: string, weight: keyof typeof files): Promise<Face> => ({
    name,
    embedded: await document.embedFont(files[weight], { subset: true }),
    font: fonts[weight],
    words: new Map(),
  });
  const regular = await embed('F1', 'regular');
  const bold = await embed('F2', 'bold');
  const arabic = isArabicNeeded(text, coverage) ? await embed('F3', 'arabic') : null;
  const faceOf = (run: Run, weight: Weight): Face =>
    (run.script === 'arabic' ? arabic : null) ?? (weight === 'bold' ? bold : regular);
  const runsOf = (text: string, weight: Weight): ShownRun[] =>
    visualRuns(text, coverage).map((run) => {
      const face = faceOf(run, weight);
      const spoken = run.isRightToLeft ? run.text : null;
      return { font: face.name, set: setText(run.text, face), spoken };
    });
  return {
    resources: {
      F1: regular.embedded.ref,
      F2: bold.embedded.ref,
      ...(arabic ? { F3: arabic.embedded.ref } : {}),
    },
    clean: (text) => legible(text, coverage),
    width: (text, size, weight) =>
      runsOf(text, weight).reduce((sum, { set }) => sum + (set.width * size) / 1000, 0),
    runs: runsOf,
  };
}
