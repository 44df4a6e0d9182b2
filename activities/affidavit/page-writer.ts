import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fontkit from '@cantoo/fontkit';
import { PDFDocument, rgb, type PDFFont, type PDFPage } from 'pdf-lib';

const require = createRequire(import.meta.url);
const fontFile = (name: string): Uint8Array => readFileSync(require.resolve(name));
const regularFile = fontFile('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf');
const boldFile = fontFile('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf');
const arabicFile = fontFile(
  '@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
);

const page = { width: 595.28, height: 841.89, margin: 56 } as const;
const ink = rgb(0.1, 0.1, 0.12);
const pale = rgb(0.42, 0.42, 0.46);
const red = rgb(0.75, 0.05, 0.1);

/** Writes lines and tables down one column, page after page. */
export interface PageWriter {
  heading(text: string): void;
  title(text: string): void;
  paragraph(text: string): void;
  /** Rows of a label and its value. */
  facts(rows: readonly (readonly [string, string])[]): void;
  /** The current page and the height the next line begins at. */
  cursor(): { page: PDFPage; y: number };
  finish(footer: string): void;
}

interface Fonts {
  readonly regular: PDFFont;
  readonly bold: PDFFont;
  readonly arabic: PDFFont;
  readonly knows: (text: string) => boolean;
}

/** Makes a document with its fonts embedded and a writer on its first page. */
export async function createPageWriter(
  isTest: boolean,
): Promise<{ document: PDFDocument; writer: PageWriter }> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.registerFontkit(fontkit);
  const fonts = await embedFonts(document);
  let current = document.addPage([page.width, page.height]);
  let y = page.height - page.margin;
  const room = (height: number): void => {
    if (y - height > page.margin + 20) return;
    current = document.addPage([page.width, page.height]);
    y = page.height - page.margin;
  };
  const write = (text: string, x: number, size: number, bold: boolean, color = ink): void => {
    let at = x;
    for (const run of runsOf(printable(text, fonts))) {
      const font = fontFor(run, fonts, bold);
      current.drawText(run, { x: at, y: y - size, size, font, color });
      at += font.widthOfTextAtSize(run, size);
    }
  };
  const lines = (text: string, size: number, width: number, x: number, color = ink): void => {
    for (const line of wrap(printable(text, fonts), fonts, size, width)) {
      room(size * 1.5);
      write(line, x, size, false, color);
      y -= size * 1.45;
    }
  };
  const column = page.width - 2 * page.margin;
  const writer: PageWriter = {
    title(text) {
      write(text, page.margin, 20, true);
      y -= 34;
    },
    heading(text) {
      room(60);
      y -= 12;
      write(text, page.margin, 12, true);
      y -= 20;
      const line = { x: page.margin, y: y + 1 };
      current.drawLine({
        start: line,
        end: { x: page.width - page.margin, y: line.y },
        thickness: 0.5,
        color: pale,
      });
      y -= 5;
    },
    paragraph(text) {
      lines(text, 9.5, column, page.margin);
      y -= 4;
    },
    facts(rows) {
      for (const [label, value] of rows) {
        room(16);
        write(label, page.margin, 8.5, false, pale);
        lines(value === '' ? '–' : value, 9.5, column - 140, page.margin + 140);
      }
    },
    cursor: () => ({ page: current, y }),
    finish: (footer) => finish(document, fonts, footer, isTest),
  };
  return { document, writer };
}

function finish(document: PDFDocument, fonts: Fonts, footer: string, isTest: boolean): void {
  const pages = document.getPages();
  for (const [index, each] of pages.entries()) {
    const text = `${footer} · page ${index + 1} of ${pages.length}`;
    const options = { x: page.margin, y: 30, size: 7.5, font: fonts.regular, color: pale };
    each.drawText(printable(text, fonts), options);
    if (isTest) band(each, fonts);
  }
}

/** Nobody may take a test for the real thing, on any page. */
function band(each: PDFPage, fonts: Fonts): void {
  each.drawRectangle({ x: 0, y: page.height - 26, width: page.width, height: 26, color: red });
  each.drawText('TEST: this document proves nothing', {
    x: page.margin,
    y: page.height - 18,
    size: 11,
    font: fonts.bold,
    color: rgb(1, 1, 1),
  });
}

async function embedFonts(document: PDFDocument): Promise<Fonts> {
  const options = { subset: true };
  const regular = await document.embedFont(regularFile, options);
  const bold = await document.embedFont(boldFile, options);
  const arabic = await document.embedFont(arabicFile, options);
  const latin = new Set(regular.getCharacterSet());
  const rightToLeft = new Set(arabic.getCharacterSet());
  return {
    regular,
    bold,
    arabic,
    knows: (char) => {
      const point = char.codePointAt(0) ?? 0;
      return latin.has(point) || rightToLeft.has(point);
    },
  };
}

function fontFor(text: string, fonts: Fonts, bold: boolean): PDFFont {
  if (/\p{Script=Arabic}/u.test(text)) return fonts.arabic;
  return bold ? fonts.bold : fonts.regular;
}

/**
 * What can be printed of a text: one line, no control or direction-changing characters; a character
 * without a glyph shows as U+FFFD would, visibly, since a missing glyph is otherwise silent.
 */
function printable(text: string, fonts: Fonts): string {
  const oneLine = text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ');
  return [...oneLine].map((char) => (fonts.knows(char) ? char : '?')).join('');
}

/** A font holds one script: runs of Arabic and runs of anything else. */
function runsOf(text: string): string[] {
  return text.match(/[\p{Script=Arabic}\s]*\p{Script=Arabic}+|[^\p{Script=Arabic}]+/gu) ?? [];
}

function wrap(text: string, fonts: Fonts, size: number, width: number): string[] {
  const font = fontFor(text, fonts, false);
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => split(part, font, size, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (font.widthOfTextAtSize(longer, size) <= width) line = longer;
    else {
      found.push(line);
      line = word;
    }
  }
  found.push(line);
  return found.slice(0, 40);
}

/** A word wider than the column is cut where it fills it. */
function split(word: string, font: PDFFont, size: number, width: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const char of word) {
    if (font.widthOfTextAtSize(part + char, size) > width) {
      parts.push(part);
      part = char;
    } else part += char;
  }
  parts.push(part);
  return parts;
}
