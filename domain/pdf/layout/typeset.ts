import type { Font } from '@cantoo/fontkit';
import type { PDFFont } from 'pdf-lib';
import { codePoint } from './text-sanitizer.ts';

/** One font of a document, for embedding and for layout. */
export interface Face {
  /** The resource name: `F1`, `F2`, `F3`. */
  readonly name: string;
  readonly embedded: PDFFont;
  readonly font: Font;
  /** Cache of typeset words. */
  readonly words: Map<string, SetText>;
}

/** One glyph in visual order; lengths in thousandths of the size. */
export interface PlacedGlyph {
  /** The code that shows it, four hexadecimal digits. */
  readonly code: string;
  /** Extra advance before it, beyond the width of the previous glyph. */
  readonly before: number;
  /** Height above the baseline. */
  readonly rise: number;
}

export interface SetText {
  readonly glyphs: readonly PlacedGlyph[];
  /** Extra advance after the last glyph. */
  readonly after: number;
  readonly width: number;
}

/**
 * Typesets a text in one face, with kerning and positioned marks: some Arabic letters differ only
 * in dots that the font places as marks. Text that the font cannot set is spelled by code points.
 * Glyph 0 means no glyph: PDF/A forbids it (ISO 19005-3 §6.2.11.8), and readers show a box.
 */
export function setText(text: string, face: Face): SetText {
  return joined(text.split(/(?<= )|(?= )/).map((word) => setWord(word, face)));
}

/** Caches words: they repeat, and typesetting them is the main cost of a page. */
function setWord(word: string, face: Face): SetText {
  const known = face.words.get(word);
  if (known) return known;
  const spelled = (): string => [...word].map(codePoint).join('');
  const made = attempt(word, face) ?? attempt(spelled(), face) ?? nothing;
  face.words.set(word, made);
  return made;
}

const nothing: SetText = { glyphs: [], after: 0, width: 0 };

function joined(words: readonly SetText[]): SetText {
  const [only, ...others] = words;
  if (only && others.length === 0) return only;
  const glyphs: PlacedGlyph[] = [];
  let after = 0;
  let width = 0;
  for (const word of words) {
    const [first, ...rest] = word.glyphs;
    if (first) glyphs.push({ ...first, before: first.before + after }, ...rest);
    after = first ? word.after : after + word.after;
    width += word.width;
  }
  return { glyphs, after, width };
}

function attempt(text: string, { font, embedded }: Face): SetText | null {
  try {
    const { glyphs, positions } = font.layout(text);
    const codes: readonly string[] = embedded.encodeText(text).asString().match(/.{4}/g) ?? [];
    if (!positions || codes.length !== glyphs.length || codes.includes('0000')) return null;
    const scale = 1000 / font.unitsPerEm;
    const placed: PlacedGlyph[] = [];
    let pen = 0;
    let shown = 0;
    for (const [index, glyph] of glyphs.entries()) {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      const at = (pen + xOffset) * scale;
      placed.push({ code: codes[index] ?? '', before: at - shown, rise: yOffset * scale });
      shown = at + glyph.advanceWidth * scale;
      pen += xAdvance;
    }
    return { glyphs: placed, after: pen * scale - shown, width: pen * scale };
  } catch {
    return null;
  }
}

/** Returns the operators that show a typeset text (ISO 32000-1 §9.4.3), raised where needed. */
export function showOperators({ glyphs, after }: SetText, size: number): string[] {
  const operators: string[] = [];
  let shown: string[] = [];
  let rise = 0;
  const flush = (): void => {
    if (shown.length > 0) operators.push(`[${shown.join('').replaceAll('><', '')}] TJ`);
    shown = [];
  };
  for (const glyph of glyphs) {
    if (glyph.rise !== rise) {
      flush();
      rise = glyph.rise;
      operators.push(`${((rise * size) / 1000).toFixed(3)} Ts`);
    }
    shown.push(...adjusted(glyph.before), `<${glyph.code}>`);
  }
  shown.push(...adjusted(after));
  flush();
  if (rise !== 0) operators.push('0 Ts');
  return operators;
}

/** A TJ adjustment is subtracted from the position, hence the sign. */
const adjusted = (by: number): string[] => (Math.round(by) === 0 ? [] : [String(-Math.round(by))]);
