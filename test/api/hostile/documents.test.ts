import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDict, PDFDocument, PDFName, PDFArray, PDFStream, type PDFObject } from 'pdf-lib';
import { afterAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import {
  renderReport,
  type ReportContent,
} from '../../../activities/meetings/report/report-pages.ts';
import type { AffidavitContent } from '../../../domain/affidavit/content.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { listsOfToday } from '../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { hostileMarkup } from './lists.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-hostile-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const isReaderInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

/**
 * Length at which a cell cuts a text that the attachment contains in full. Code points count as
 * spelled out.
 */
const unitsMax = 330;
const at = '2026-01-02T03:04:05.000Z';

/**
 * Packs texts between plain words, each pack as long as a cell. A text that reverses its line
 * reverses the words too.
 */
function packed(texts: readonly string[]): string[] {
  const packs: string[] = [];
  let pack = '';
  for (const [place, text] of texts.entries()) {
    const more = ` w${place} ${text}`;
    if (pack !== '' && lengthShown(pack + more) > unitsMax) {
      packs.push(`${pack} end`);
      pack = '';
    }
    pack += more;
  }
  return [...packs, `${pack} end`].map((each) => each.trimStart());
}

const lengthShown = (text: string): number =>
  [...text].reduce((sum, char) => sum + (/[ -~]/.test(char) ? 1 : '[U+0000]'.length), 0);

const hexOf = (char: string): string => (char.codePointAt(0) ?? 0).toString(16);

/** Returns a pattern of a character as printed: itself, `[emoji]`, or its code point. */
function shown(char: string): string {
  const spelled = `\\[U\\+${hexOf(char).toUpperCase().padStart(4, '0')}\\]`;
  if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(char)) return spelled;
  const itself = char
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, (sign) => `\\u{${hexOf(sign)}}`);
  if (/\p{Emoji_Presentation}/u.test(char)) return String.raw`\[emoji\]`;
  return /[ -~]/.test(char) ? itself : `(?:${itself}|${spelled})`;
}

/** Line breaks depend on the column width, so they are ignored. */
const unbroken = (text: string): string => text.normalize('NFKC').replaceAll(/\s+/gu, '');

const blank = /[\t\n\r\v\f\u0085\p{Zs}]/gu;
/** Returns a pattern of a text as printed, with any line breaks. */
const reading = (text: string): RegExp =>
  new RegExp([...text.normalize('NFC').replaceAll(blank, '')].map(shown).join(''), 'u');

/** The texts of one document: some between plain words, others as names. */
interface Texts {
  readonly fields: readonly string[];
  readonly names: readonly string[];
}

/** Distributes all hostile texts over as few documents as possible. */
function spread(fieldsEach: number): Texts[] {
  const packs = packed(hostileMarkup);
  const documents = Math.ceil(packs.length / fieldsEach);
  const namesEach = Math.ceil(hostileMarkup.length / documents);
  return Array.from({ length: documents }, (_, place) => ({
    fields: packs.slice(place * fieldsEach, (place + 1) * fieldsEach),
    names: hostileMarkup
      .slice(place * namesEach, (place + 1) * namesEach)
      .map((text, more) => `n${more} ${text} end`),
  }));
}

/** Returns an affidavit with these texts in each field that strangers can fill. */
function affidavitOf({ fields, names }: Texts): AffidavitContent {
  const [account_name = '', app_name = '', purpose = '', reference_id = ''] = fields;
  const claims = Object.fromEntries(names.map((name, place) => [`claim_${place}`, name]));
  const { requester } = lightContent;
  return {
    ...lightContent,
    subject: {
      ...lightContent.subject,
      claims: { ...claims, full_name: names[0] ?? '' },
    },
    requester: { ...requester, account_name, app_name, purpose, reference_id },
    consent: { tos_version: names[1] ?? '', claims: [], at },
    matching: { full_name: names[2] ?? '' },
  };
}

function reportOf({ fields, names }: Texts): ReportContent {
  const [topic = '', organization = '', account_name = ''] = fields;
  const person = { role: 'participant', verification: 'unverified', attestation: null };
  return {
    report_id: 'mr_1',
    made_at: at,
    livemode: true,
    development: false,
    account_name,
    platform: 'sandbox',
    meeting_id: 'AAECAwQFBgcICQoLDA0ODw',
    link_uuid: 'a-link',
    topic,
    organization,
    status: 'ended',
    end_reason: 'platform_ended',
    scheduled_at: null,
    started_at: at,
    ended_at: at,
    tracking: 'ok',
    participants: names.map((name, place) => ({
      ...person,
      participant_id: `pt_${place}`,
      name,
      link_session_id: place === 0 ? 'tc_1' : null,
      joined_at: at,
      left_at: null,
    })),
    timeline: names.map((participant) => ({
      at,
      event: 'meeting.participant_joined',
      participant,
      state: 'joined, unverified',
    })),
  };
}

/**
 * Returns every PDF name of a document. The names describe its actions and structure, not its
 * words.
 */
async function namesIn(pdf: Uint8Array): Promise<string[]> {
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const found = new Set<string>();
  const visit = (object: PDFObject | undefined): void => {
    if (object instanceof PDFName) found.add(object.asString());
    else if (object instanceof PDFArray) object.asArray().forEach(visit);
    else if (object instanceof PDFStream) visit(object.dict);
    else if (object instanceof PDFDict) {
      for (const [name, value] of object.entries()) {
        visit(name);
        visit(value);
      }
    }
  };
  for (const [, object] of document.context.enumerateIndirectObjects()) visit(object);
  // Fonts subsets have random names, and glyphs have numbers.
  return [...found].filter((name) => !/^\/[A-Z]{6}\+|^\/NotoSans|^\/g\d+$/.test(name)).toSorted();
}

const leading = /^\/(?:JS|JavaScript|URI|Launch|GoToR|AA|OpenAction|SubmitForm|ImportData)$/;

function textOf(pdf: Uint8Array): string {
  const path = join(directory, 'text.pdf');
  writeFileSync(path, pdf);
  return execFileSync('pdftotext', ['-raw', '-enc', 'UTF-8', path, '-'], { encoding: 'utf8' });
}

/** Returns the texts that are missing from the text layer. */
function unreadable(pdf: Uint8Array, texts: readonly string[]): unknown[] {
  if (!isReaderInstalled) return [];
  const layer = textOf(pdf);
  const found = unbroken(layer.replaceAll(/Page \d+ of \d+\s*\f/g, ''));
  const turned = /\p{Bidi_Control}/u.exec(layer)?.[0];
  const missing = texts.filter((text) => !reading(text).test(found));
  return turned === undefined ? missing : [...missing, 'a line is turned'];
}

/** Returns the faults of a document with these texts, compared with documents of plain words. */
async function faultsOf(
  pdf: Uint8Array,
  texts: Texts,
  usual: readonly string[],
): Promise<unknown[]> {
  const names = (await namesIn(pdf)).join(' ');
  return [
    ...unreadable(pdf, [...texts.fields, ...texts.names]),
    ...(usual.includes(names) ? [] : [['more than words', texts, names]]),
  ];
}

describe('hostile texts', () => {
  const plain: Texts = { fields: ['a', 'b', 'c', 'd'], names: ['a name', 'b', 'c'] };
  /** Contains a full-width character, which is drawn. */
  const drawn: Texts = { ...plain, names: ['a ＜ name', 'b', 'c'] };

  it('remain plain text in an affidavit, which verifies', async () => {
    const usual: string[] = [];
    for (const texts of [plain, drawn]) {
      const names = await namesIn(await renderAffidavit(affidavitOf(texts)));
      expect(names).toContain('/EmbeddedFile');
      expect(names.filter((name) => leading.test(name))).toEqual([]);
      usual.push(names.join(' '));
    }
    const keys = platformKeys();
    const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
    const lists = await listsOfToday(keys);
    const wrong: unknown[] = [];
    for (const texts of spread(4)) {
      const content = affidavitOf(texts);
      const sealed = await sealAffidavit(await renderAffidavit(content), keys.seal, authority);
      const later = new Date(Date.now() + 1000);
      const verdict = await verifyAffidavit(sealed, [keys.root.certificate], later, { lists });
      if (verdict.result !== 'valid') wrong.push([texts, verdict.reason_code]);
      wrong.push(...(await faultsOf(sealed, texts, usual)));
      const document = await PDFDocument.load(sealed, { updateMetadata: false });
      const [attached, ...others] = document.getAttachments();
      expect(others).toEqual([]);
      const json = Buffer.from(attached?.data ?? []).toString('utf8');
      expect(JSON.parse(json)).toEqual(content);
      const spelled = [...texts.fields, ...texts.names].map((text) => JSON.stringify(text));
      expect(spelled.filter((text) => !json.includes(text))).toEqual([]);
    }
    expect(wrong).toEqual([]);
  });

  it('remain plain text in a meeting report', async () => {
    const usual: string[] = [];
    for (const texts of [plain, drawn]) {
      const names = await namesIn(await renderReport(reportOf(texts)));
      expect(names.filter((name) => leading.test(name))).toEqual([]);
      usual.push(names.join(' '));
    }
    const wrong: unknown[] = [];
    for (const texts of spread(3)) {
      const pdf = await renderReport(reportOf(texts));
      wrong.push(...(await faultsOf(pdf, texts, usual)));
    }
    expect(wrong).toEqual([]);
  });
});
