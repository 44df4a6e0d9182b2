import fontkit, { type Font } from '@cantoo/fontkit';
import type { PDFDocument } from 'pdf-lib';
import {
  isDevanagari,
  sanitizeText,
  scriptsIn,
  visualRuns,
  type Coverage,
  type Run,
  type Script,
} from '../../domain/pdf/layout/text-sanitizer.ts';
import { setText, type Face } from '../../domain/pdf/layout/typeset.ts';
import type { Fonts, ShownRun, Weight } from '../../domain/pdf/layout/fonts.ts';
import { makeDrawnFonts } from './cjk-fonts.ts';
import { fontFiles as files } from './renderer-id.ts';

const rememberedMax = 4_096;
const rememberedLengthMax = 32;
const glyphsMax = 16_384;

/**
 * Opens a font that caches the layout of words. Layout is most of the cost of a page, and nearly
 * all words are the same in every affidavit.
 */
function fontOf(bytes: Uint8Array): Font {
  const font = fontkit.create(bytes);
  if (!('layout' in font)) throw new Error('a font file holds a collection');
  separateGlyphs(font);
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

/**
 * Makes `getGlyph` return a glyph with exactly the requested letters. The library caches the
 * letters of the first document that used a glyph, and Arabic letters share glyphs. The text behind
 * a page would then depend on earlier documents. A verifier that renders the page again would
 * report a change.
 */
function separateGlyphs(font: Font): void {
  const made = font.getGlyph.bind(font);
  const glyphs = new Map<string, ReturnType<typeof made>>();
  const kept: unknown = Reflect.get(font, '_glyphs');
  if (typeof kept !== 'object' || kept === null) throw new Error('the font keeps no glyphs');
  font.getGlyph = (id, letters = []) => {
    const key = `${id} ${letters.join(' ')}`;
    const known = glyphs.get(key);
    if (known) return known;
    Reflect.deleteProperty(kept, id);
    const glyph = made(id, letters);
    if (glyphs.size >= glyphsMax) glyphs.clear();
    glyphs.set(key, glyph);
    return glyph;
  };
}

/** Fonts for layout, shared by all documents. Each records which glyphs a document needs. */
const fonts = {
  regular: fontOf(files.regular),
  bold: fontOf(files.bold),
  arabic: fontOf(files.arabic),
};
const points = {
  latin: new Set(fonts.regular.characterSet),
  arabic: new Set(fonts.arabic.characterSet),
};

/** Opened when a document first needs them, which is rare. */
const hebrew = lazy(() => fontOf(files.hebrew));
const thai = lazy(() => fontOf(files.thai));
const fontsByFile = new Map([
  [files.regular, () => fonts.regular],
  [files.bold, () => fonts.bold],
  [files.arabic, () => fonts.arabic],
  [files.hebrew, hebrew],
  [files.thai, thai],
]);

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Returns the script of the font file that has a glyph for a character; null where none has. */
const fileCoverage: Coverage = (char) => {
  const point = char.codePointAt(0) ?? 0;
  if (points.latin.has(point)) return point > 0x8ff && isDevanagari(char) ? 'devanagari' : 'latin';
  if (points.arabic.has(point)) return 'arabic';
  if (/\p{Script=Hebrew}/u.test(char))
    return hebrew().hasGlyphForCodePoint(point) ? 'hebrew' : null;
  if (/\p{Script=Thai}/u.test(char)) return thai().hasGlyphForCodePoint(point) ? 'thai' : null;
  return null;
};

const faceNames = { arabic: 'F3', hebrew: 'F4', thai: 'F5' } as const;

/**
 * Embeds the fonts, each only where it is needed. Latin, Greek, Cyrillic and Devanagari have two
 * weights; Arabic, Hebrew and Thai have one. Chinese, Japanese and Korean characters are drawn.
 * @param text the whole text of the document
 */
export async function embedFonts(document: PDFDocument, text: string): Promise<Fonts> {
  document.registerFontkit({
    create: (bytes) => fontsByFile.get(bytes)?.() ?? fontkit.create(bytes),
  });
  const embed = async (name: string, weight: keyof typeof files): Promise<Face> => ({
    name,
    embedded: await document.embedFont(files[weight], { subset: true }),
    font: fontsByFile.get(files[weight])?.() ?? fonts.regular,
    words: new Map(),
  });
  const regular = await embed('F1', 'regular');
  const bold = await embed('F2', 'bold');
  const needed = scriptsIn(text, fileCoverage);
  const faces = new Map<Script, Face>();
  for (const script of ['arabic', 'hebrew', 'thai'] as const) {
    if (needed.has(script)) faces.set(script, await embed(faceNames[script], script));
  }
  const isElsewhere = (char: string): boolean => fileCoverage(char) !== null;
  const drawn = makeDrawnFonts(document.context, text, isElsewhere);
  const coverage: Coverage = (char) => fileCoverage(char) ?? (drawn.has(char) ? 'drawn' : null);
  const setRun = (run: Run, weight: Weight): ShownRun[] => {
    const spoken = run.isRightToLeft || respelled.has(run.script) ? run.text : null;
    if (run.script === 'drawn') return drawn.set(run.text).map((one) => ({ ...one, spoken }));
    const face = faces.get(run.script) ?? (weight === 'bold' ? bold : regular);
    return [{ font: face.name, set: setText(run.text, face), spoken }];
  };
  const runsOf = (text: string, weight: Weight): ShownRun[] =>
    visualRuns(text, coverage).flatMap((run) => setRun(run, weight));
  const widthsOf = remembering((text, weight) => runsOf(text, weight).map(({ set }) => set.width));
  return {
    resources: {
      F1: regular.embedded.ref,
      F2: bold.embedded.ref,
      ...Object.fromEntries([...faces.values()].map(({ name, embedded }) => [name, embedded.ref])),
      ...drawn.resources,
    },
    clean: (text) => sanitizeText(text, coverage),
    width: (text, size, weight) =>
      widthsOf(text, weight).reduce((sum, one) => sum + (one * size) / 1000, 0),
    runs: runsOf,
  };
}

type WidthsOf = (text: string, weight: Weight) => readonly number[];

/** Caches the widths of words, because the words of a document repeat. */
function remembering(measure: WidthsOf): WidthsOf {
  type Words = Map<string, readonly number[]>;
  const remembered: Record<Weight, Words> = { regular: new Map(), bold: new Map() };
  return (text, weight) => {
    const words = remembered[weight];
    const known = words.get(text) ?? measure(text, weight);
    if (text.length <= rememberedLengthMax && words.size < rememberedMax) words.set(text, known);
    return known;
  };
}

/** Scripts in which glyphs differ from the characters in order or in number. */
const respelled: ReadonlySet<Script> = new Set(['devanagari', 'thai']);
