import { PDFName, type PDFContext, type PDFRef } from 'pdf-lib';
import type { SetText } from '../../domain/pdf/layout/typeset.ts';
import type { DrawnFamily } from './renderer-id.ts';
import { outlineOf, type Outline } from './cjk-glyphs.ts';

/**
 * Chinese, Japanese and Korean characters of one document. They are too many to embed a font file.
 * The characters that the document uses become Type 3 fonts (ISO 32000-1 §9.6.5).
 */
export interface DrawnFonts {
  readonly resources: Readonly<Record<string, PDFRef>>;
  has(char: string): boolean;
  /** Sets a text, font by font. Every character of the text must be in these fonts. */
  set(text: string): { readonly font: string; readonly set: SetText }[];
}

/** A Type 3 font has 255 codes besides 0. A document has at most two such fonts. */
const perFont = 255;
const drawnMax = 2 * perFont;

const scripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];
const signs = String.raw`\u3001-\u303f\u30fb\u30fc\uff01-\uffee`;
const drawable = new RegExp(
  `[${scripts.map((name) => `\\p{Script=${name}}`).join('')}${signs}]`,
  'gu',
);

interface Drawing extends Outline {
  readonly font: string;
  readonly code: number;
}

/**
 * Makes the fonts for the characters of a text that no other font has.
 * @param isElsewhere whether another font has the character
 */
export function makeDrawnFonts(
  context: PDFContext,
  text: string,
  isElsewhere: (char: string) => boolean,
): DrawnFonts {
  const drawings = new Map<string, Drawing>();
  const families = familiesFor(text);
  for (const char of new Set(text.normalize('NFC').match(drawable))) {
    if (drawings.size === drawnMax) break;
    const outline = isElsewhere(char) ? null : outlineOf(char, families);
    if (!outline) continue;
    const font = `D${Math.floor(drawings.size / perFont) + 1}`;
    drawings.set(char, { ...outline, font, code: (drawings.size % perFont) + 1 });
  }
  const fonts = Map.groupBy(drawings, ([, { font }]) => font);
  return {
    resources: Object.fromEntries(
      [...fonts].map(([name, glyphs]) => [name, writeFont(context, glyphs)]),
    ),
    has: (char) => drawings.has(char),
    set: (text) =>
      [...text].flatMap((char) => {
        const drawing = drawings.get(char);
        return drawing ? [{ font: drawing.font, set: setOne(drawing) }] : [];
      }),
  };
}

/**
 * The same character has another shape in each country. Kana and hangul show which one is meant.
 */
function familiesFor(text: string): readonly DrawnFamily[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) {
    return ['noto-sans-jp', 'noto-sans-sc', 'noto-sans-kr'];
  }
  if (/\p{Script=Hangul}/u.test(text)) return ['noto-sans-kr', 'noto-sans-jp', 'noto-sans-sc'];
  return ['noto-sans-sc', 'noto-sans-jp', 'noto-sans-kr'];
}

const setOne = ({ code, width }: Drawing): SetText => ({
  glyphs: [{ code: hex(code, 2), before: 0, rise: 0 }],
  after: 0,
  width,
});

function writeFont(context: PDFContext, glyphs: readonly (readonly [string, Drawing])[]): PDFRef {
  const procedures = glyphs.map(([, { code, width, box, path }]) => [
    `g${code}`,
    context.register(context.flateStream(`${width} 0 ${box.join(' ')} d1\n${path}`)),
  ]);
  const boxes = glyphs.map(([, { box }]) => box);
  const font = context.obj({
    Type: 'Font',
    Subtype: 'Type3',
    FontBBox: [
      Math.min(...boxes.map(([left]) => left)),
      Math.min(...boxes.map(([, bottom]) => bottom)),
      Math.max(...boxes.map(([, , right]) => right)),
      Math.max(...boxes.map(([, , , top]) => top)),
    ],
    FontMatrix: [0.001, 0, 0, 0.001, 0, 0],
    CharProcs: Object.fromEntries(procedures),
    Encoding: {
      Type: 'Encoding',
      Differences: [1, ...glyphs.map(([, { code }]) => PDFName.of(`g${code}`))],
    },
    FirstChar: 1,
    LastChar: glyphs.length,
    Widths: glyphs.map(([, { width }]) => width),
    Resources: {},
  });
  const meanings = glyphs.map(([char, { code }]) => `<${hex(code, 2)}> <${utf16(char)}>`);
  font.set(PDFName.of('ToUnicode'), context.register(context.flateStream(toUnicode(meanings))));
  return context.register(font);
}

/** Returns the CMap from codes to Unicode, in blocks of a hundred (ISO 32000-1 §9.10.3). */
function toUnicode(meanings: readonly string[]): string {
  const blocks = Array.from({ length: Math.ceil(meanings.length / 100) }, (_, index) =>
    meanings.slice(index * 100, (index + 1) * 100),
  );
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    '<00> <ff>',
    'endcodespacerange',
    ...blocks.flatMap((block) => [`${block.length} beginbfchar`, ...block, 'endbfchar']),
    'endcmap',
    'CMapName currentdict /CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const utf16 = (char: string): string =>
  Array.from({ length: char.length }, (_, index) => hex(char.charCodeAt(index), 4)).join('');
