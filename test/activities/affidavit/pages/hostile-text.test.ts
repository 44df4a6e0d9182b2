import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFDocument } from 'pdf-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { embedFonts } from '../../../../activities/pdf/fonts.ts';
import type { Fonts } from '../../../../domain/pdf/layout/fonts.ts';
import { paper, type Style } from '../../../../domain/pdf/layout/sheet.ts';
import { wrap } from '../../../../domain/pdf/layout/wrap.ts';
import { contentWith, hostileTexts } from '../../../support/fixtures/affidavits/contents.ts';
import { contentOf } from './page-content.ts';

describe('hostile text on a page', () => {
  let fonts: Fonts;
  const style: Style = { size: 9.5, weight: 'regular', color: [0, 0, 0] };
  beforeAll(async () => {
    fonts = await embedFonts(await PDFDocument.create(), Object.values(hostileTexts).join());
  });

  it.each(Object.keys(hostileTexts))(
    'stays in its column and shows no missing glyph: %s',
    (name) => {
      const width = 120;
      const lines = wrap(fonts, hostileTexts[name] ?? '', { style, width, linesMax: 10 });
      expect(lines.length).toBeLessThanOrEqual(10);
      for (const line of lines) {
        expect(fonts.width(line, style.size, style.weight)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
        const codes = fonts.runs(line, 'regular').flatMap(({ set }) => set.glyphs);
        expect(codes.map(({ code }) => code)).not.toContain('0000');
      }
    },
  );

  it('shows an emoji as a word and omits variation selectors', () => {
    expect(fonts.clean('Anna 😀👍🏽 👩‍👩‍👧')).toBe('Anna [emoji][emoji] [emoji]');
    expect(fonts.clean('🇩🇪 1️⃣ 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}')).toBe(
      '[emoji] [emoji] [emoji]',
    );
    expect(fonts.clean('李\u{e0100} A\ufe0f ©\ufe0f')).toBe('李 A ©');
    // A variation selector without a base character could hide text.
    expect(fonts.clean('\ufe0fA\ufe0f\ufe0f')).toBe('[U+FE0F]A[U+FE0F]');
    expect(fonts.clean('😀\u{e0041}')).toBe('[emoji][U+E0041]');
    expect(fonts.clean('1 # *')).toBe('1 # *');
  });

  it('shows a code point in place of a character that cannot be shown', () => {
    expect(fonts.clean('A\u202eB\u0000')).toBe('A[U+202E]B[U+0000]');
    expect(fonts.clean('த李')).toBe('[U+0BA4]李');
    // A font of Chinese characters contains only those that the document requested.
    expect(fonts.clean('櫻')).toBe('[U+6AFB]');
    expect(fonts.clean('x\ud800')).toBe('x\ufffd');
    expect(fonts.clean('u\u0308\r\n\u00a0Ж')).toBe('ü  Ж');
  });

  it.each([
    ['Hebrew with points', 'שָׁלוֹם בן־דוד'],
    ['Devanagari', 'क्षत्रिय ज़िंदगी श्री क्\u200dष'],
    ['Thai', 'สมชาย น้ำทิพย์'],
    ['simplified Chinese', '李小龙（北京）'],
    ['traditional Chinese', '陳大文 黃國華「臺灣」'],
    ['Japanese', '山田太郎 さとう・ハナコ 髙﨑'],
    ['Korean', '김철수'],
    ['all of them, and Latin', 'José 李 אב अ ก Ελένη Ёлка'],
  ])('is shown unchanged when a font has it: %s', async (_name, text) => {
    const own = await embedFonts(await PDFDocument.create(), text);
    expect(own.clean(text)).toBe(text);
    const runs = own.runs(text, 'regular');
    for (const { font, set } of runs) {
      expect(Object.keys(own.resources)).toContain(font);
      expect(set.glyphs.map(({ code }) => code)).not.toContain('0000');
    }
    // Nothing is shown as code points, which would take the width of eight letters.
    const width = runs.reduce((sum, { set }) => sum + set.width, 0);
    expect(width).toBeLessThanOrEqual(1100 * text.length);
  });

  it('uses up to two fonts of Chinese characters, and code points for the rest', async () => {
    const path = createRequire(import.meta.url).resolve(
      '@fontsource-variable/noto-sans-sc/unicode.json',
    );
    const ranges = Object.values<string>(JSON.parse(readFileSync(path, 'utf8')));
    const points = ranges
      .flatMap((list) => [...list.matchAll(/U\+(5[\da-f]{3})\b(?!-)/gi)])
      .map(([, point = '']) => String.fromCodePoint(Number.parseInt(point, 16)));
    const text = [...new Set(points)].slice(0, 600).join('');
    const document = await PDFDocument.create();
    const own = await embedFonts(document, text.normalize('NFC'));
    expect(Object.keys(own.resources)).toEqual(['F1', 'F2', 'D1', 'D2']);
    expect([...own.clean(text)].filter((char) => char === '[')).toHaveLength(90);
    expect((await document.save()).length).toBeLessThan(450_000);
  });

  it('runs from right to left in its scripts, with numbers and brackets in place', () => {
    const order = (text: string) => fonts.runs(text, 'regular').map(({ spoken }) => spoken);
    expect(order('محمد الله').filter(Boolean)).toEqual(['الله', 'محمد']);
    expect(order('x محمد y').filter(Boolean)).toEqual(['محمد']);
    expect(order('محمد שלום').filter(Boolean)).toEqual(['שלום', 'محمد']);
    const closed = fonts.runs('a (משה) b משה', 'regular');
    expect(closed.map(({ spoken }) => spoken)).toEqual([null, 'משה', null, 'משה']);
    // Glyphs from left to right: the number, a blank, the word.
    const numbered = fonts.runs('علي 12', 'regular');
    const [number] = fonts.runs('12', 'regular');
    expect(numbered.map(({ spoken }) => spoken)).toEqual([null, null, 'علي']);
    expect(numbered[0]?.set.glyphs).toEqual(number?.set.glyphs);
    expect(order('12 علي').filter(Boolean)).toEqual(['علي']);
  });

  it.each(Object.keys(hostileTexts))('stays within the page margins: %s', async (name) => {
    const pdf = await renderAffidavit(contentWith(hostileTexts[name] ?? ''));
    expect(pdf.length).toBeLessThan(80_000);
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    expect(document.getPageCount()).toBeLessThan(16);
    for (const page of document.getPages()) {
      const operators = contentOf(page);
      const places = [...operators.matchAll(/1 0 0 1 (\S+) (\S+) Tm/g)];
      expect(places.length).toBeGreaterThan(2);
      for (const [, x, y] of places) {
        expect(Number(x)).toBeGreaterThanOrEqual(paper.left);
        expect(Number(x)).toBeLessThan(paper.width - paper.right);
        expect(Number(y)).toBeGreaterThan(30);
        expect(Number(y)).toBeLessThan(paper.height - 30);
      }
    }
  });
});
