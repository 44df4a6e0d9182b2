import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, PDFStream } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  affidavitContent,
  canonicalJson,
  listMax,
  type AffidavitContent,
} from '../../../activities/affidavit/content.ts';
import { embedFonts, type Fonts } from '../../../activities/affidavit/fonts.ts';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { paper, type Style } from '../../../activities/affidavit/sheet.ts';
import { wrap } from '../../../activities/affidavit/wrap.ts';
import { contentWith, denseContent, hostileTexts, lightContent } from './contents.ts';
import { contentOf } from './page-content.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-pages-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isReaderInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

/** What a reader of the pages reads, page by page. */
async function pagesOf(content: AffidavitContent): Promise<string[]> {
  const path = join(directory, 'pages.pdf');
  writeFileSync(path, await renderAffidavit(content));
  const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
  return text.split('\f').slice(0, -1);
}

const headings = [
  'Statement',
  'Subject',
  'Requester',
  'Proofs',
  'Device',
  'Timeline',
  'Policy and decision',
  'Keys',
  'How to verify this document',
  'Limitations',
];

describe.skipIf(!isReaderInstalled)('the pages of an affidavit', () => {
  it.each([
    ['light', lightContent],
    ['dense', denseContent],
  ])('have every section in its order: %s', async (_name, content) => {
    const text = (await pagesOf(content)).join('\n');
    const places = headings.map((heading, index) =>
      text.search(new RegExp(`^\\s*${index + 1} +${heading}$`, 'm')),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('show all that was proven, and how', async () => {
    const text = (await pagesOf(denseContent)).join('\n').replaceAll(/\s+/g, ' ');
    const shown = [
      'FAILED Decided 2026-11-21 05:59:59 UTC. Reason: mismatch.',
      'Name ERIKSSON ANNA MARIA',
      'Age over 18 yes',
      'Phone number mismatch',
      'Email not checked',
      'Purpose Opening of an account',
      'Reference contract-2026-000815',
      'Consented claims full name, age over 18',
      'Passport chip signatures of the document passed 2 2026-11-21 05:59:40 UTC',
      'Checks passed parse, sod_signature, dsc_chain',
      'Checks skipped revocation, chip_auth (2)',
      'Active authentication ok',
      'cdcdcdcd cdcdcdcd',
      'Attestation Apple App Attest: passed',
      'OS version 26.1',
      'Decided by the reviewer tk_live_0123456789ab',
      'Allowed countries UTO, DEU',
      'Key of the subject NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
      'npx trustcheck verify affidavit.pdf --root root.pem',
      'A code sent by SMS shows control of a phone number',
    ];
    for (const words of shown) expect(text).toContain(words);
  });

  it('say on every page that a test is a test, and on none of a real one', async () => {
    const test = await pagesOf({ ...denseContent, livemode: false });
    expect(test.length).toBeGreaterThan(3);
    for (const page of test) expect(page).toContain('TEST: this document proves nothing');
    expect((await pagesOf(denseContent)).join()).not.toContain('TEST');
  });

  it('say on every page where simulated evidence was taken, beside any other mark', async () => {
    const words = 'DEVELOPMENT: simulated evidence is taken here; proves nothing about a person';
    const development = { ...denseContent, development: true };
    for (const page of await pagesOf(development)) expect(page).toContain(words);
    const [first = ''] = await pagesOf(development);
    expect(first).toMatch(/^\s*DEVELOPMENT: FAILED$/m);
    const test = await pagesOf({ ...development, livemode: false });
    for (const page of test) {
      expect(page).toContain(words);
      expect(page).toContain('TEST: this document proves nothing');
    }
    expect(test[0]).toMatch(/^\s*TEST: DEVELOPMENT: FAILED$/m);
    expect((await pagesOf(denseContent)).join()).not.toContain('DEVELOPMENT');
  });

  it('are numbered and named on every page', async () => {
    const pages = await pagesOf(denseContent);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page).toContain(denseContent.affidavit_id);
    }
  });
});

describe('hostile text', () => {
  let fonts: Fonts;
  const style: Style = { size: 9.5, weight: 'regular', color: [0, 0, 0] };
  beforeAll(async () => {
    fonts = await embedFonts(await PDFDocument.create(), Object.values(hostileTexts).join());
  });

  it.each(Object.keys(hostileTexts))('stays in its column and shows no box: %s', (name) => {
    const width = 120;
    const lines = wrap(fonts, hostileTexts[name] ?? '', { style, width, linesMax: 10 });
    expect(lines.length).toBeLessThanOrEqual(10);
    for (const line of lines) {
      expect(fonts.width(line, style.size, style.weight)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
      const codes = fonts.runs(line, 'regular').flatMap(({ set }) => set.glyphs);
      expect(codes.map(({ code }) => code)).not.toContain('0000');
    }
  });

  it('shows what it is: a code point for what cannot be shown', () => {
    expect(fonts.clean('A\u202eB\u0000')).toBe('A[U+202E]B[U+0000]');
    expect(fonts.clean('த李')).toBe('[U+0BA4]李');
    // What no text of the document had: a font of drawings has no more than was asked for.
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
  ])('is shown as it is where there is a font: %s', async (_name, text) => {
    const own = await embedFonts(await PDFDocument.create(), text);
    expect(own.clean(text)).toBe(text);
    const runs = own.runs(text, 'regular');
    for (const { font, set } of runs) {
      expect(Object.keys(own.resources)).toContain(font);
      expect(set.glyphs.map(({ code }) => code)).not.toContain('0000');
    }
    // Nothing is spelled: a code point takes the room of eight letters.
    const width = runs.reduce((sum, { set }) => sum + set.width, 0);
    expect(width).toBeLessThanOrEqual(1100 * text.length);
  });

  it('draws as many characters as two fonts have, and spells the rest', async () => {
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

  it('is written from right to left where its script is, numbers and brackets as they belong', () => {
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

  it.each(Object.keys(hostileTexts))('breaks out of no page: %s', async (name) => {
    const pdf = await renderAffidavit(contentWith(hostileTexts[name] ?? ''));
    expect(pdf.length).toBeLessThan(80_000);
    const document = await PDFDocument.load(pdf, { updateMetadata: false });
    expect(document.getPageCount()).toBeLessThan(14);
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

describe('the file of an affidavit', () => {
  let document: PDFDocument;
  const of = (name: string) => document.catalog.get(PDFName.of(name));
  beforeAll(async () => {
    const pdf = await renderAffidavit({ ...denseContent, livemode: false });
    document = await PDFDocument.load(pdf, { updateMetadata: false });
  });

  it('is light', async () => {
    expect((await renderAffidavit(lightContent)).length).toBeLessThan(50_000);
    expect((await renderAffidavit(denseContent)).length).toBeLessThan(70_000);
  });

  it('has what PDF/A-3U asks for', () => {
    for (const name of ['Lang', 'MarkInfo', 'StructTreeRoot', 'OutputIntents', 'AF', 'Metadata']) {
      expect(of(name), name).toBeDefined();
    }
    for (const name of ['OpenAction', 'AA', 'JavaScript']) expect(of(name), name).toBeUndefined();
    const metadata = document.catalog.lookup(PDFName.of('Metadata'), PDFStream);
    const xmp = Buffer.from(metadata.getContents()).toString('utf8');
    expect(xmp).toMatch(/<pdfaid:part>3<.*<pdfaid:conformance>U</s);
    // PDF/UA-1, and what that says in words of PDF/A.
    expect(xmp).toMatch(/<pdfuaid:part>1<.*<pdfaSchema:prefix>pdfuaid</s);
  });

  it('embeds every font, with what each glyph means', () => {
    const dicts = document.context
      .enumerateIndirectObjects()
      .flatMap(([, object]) => (object instanceof PDFDict ? [object] : []));
    const typed = (type: string) =>
      dicts.filter((dict) => dict.get(PDFName.of('Type')) === PDFName.of(type));
    const fonts = typed('Font').filter((dict) => dict.has(PDFName.of('DescendantFonts')));
    expect(fonts).toHaveLength(2);
    for (const font of fonts) expect(font.has(PDFName.of('ToUnicode'))).toBe(true);
    const descriptors = typed('FontDescriptor');
    expect(descriptors).toHaveLength(2);
    for (const one of descriptors) expect(one.has(PDFName.of('FontFile2'))).toBe(true);
  });

  it('gives every stretch of its pages to an element or calls it an artifact', () => {
    const root = document.catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict);
    const numbers = root.lookup(PDFName.of('ParentTree'), PDFDict).lookup(PDFName.of('Nums'));
    if (!(numbers instanceof PDFArray)) throw new Error('no parent tree');
    for (const page of document.getPages()) {
      const operators = contentOf(page);
      const index = page.node.lookup(PDFName.of('StructParents'), PDFNumber).asNumber();
      const owners = numbers.lookup(index * 2 + 1, PDFArray);
      const marks = [...operators.matchAll(/\/MCID (\d+)/g)].map(([, mcid]) => Number(mcid));
      expect(marks).toEqual(marks.map((_, position) => position));
      expect(owners.size()).toBe(marks.length);
      const bare = operators.replaceAll(/\/(?:Artifact BMC|\w+ <<\/MCID \d+>> BDC)[^]*?\nEMC/g, '');
      expect(bare.trim()).toBe('');
    }
  });
});

describe('the content of an affidavit', () => {
  it('is cut where it is too long, once, and says so', () => {
    const long = contentWith('x'.repeat(100_000));
    const once = canonicalJson(long);
    const { purpose } = affidavitContent.parse(JSON.parse(once)).requester;
    expect(purpose).toMatch(/^x+… \[\d+ more\]$/);
    expect(purpose?.length).toBeLessThanOrEqual(1000);
    expect(canonicalJson(affidavitContent.parse(JSON.parse(once)))).toBe(once);
  });

  it.each(Object.keys(hostileTexts))('has one spelling: %s', (name) => {
    const json = canonicalJson(contentWith(hostileTexts[name] ?? ''));
    expect(canonicalJson(affidavitContent.parse(JSON.parse(json)))).toBe(json);
    expect(json.isWellFormed()).toBe(true);
  });

  it('is no list without an end', () => {
    const [event] = denseContent.timeline;
    const timeline = Array.from({ length: listMax.timeline + 1 }, () => event);
    expect(affidavitContent.safeParse({ ...denseContent, timeline }).success).toBe(false);
    const claims = Object.fromEntries(timeline.map((_, index) => [`claim_${index}`, 'x']));
    const subject = { ...denseContent.subject, claims };
    expect(affidavitContent.safeParse({ ...denseContent, subject }).success).toBe(false);
  });
});
