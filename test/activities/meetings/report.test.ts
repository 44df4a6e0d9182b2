import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import { afterAll, describe, expect, it } from 'vitest';
import {
  renderReport,
  type ReportContent,
} from '../../../activities/meetings/report/report-pages.ts';
import { readReportUrl, writeReportUrl } from '../../../activities/meetings/report/report-url.ts';
import { hostileTexts } from '../../support/fixtures/affidavits/contents.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-report-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isReaderInstalled = spawnSync('pdftotext', ['-v']).error === undefined;
const at = '2026-01-02T03:04:05.000Z';

function contentOf(people: number, name = 'Erika Mustermann'): ReportContent {
  const participants = Array.from({ length: people }, (_, index) => ({
    participant_id: `pt_${index}`,
    name: index === 0 ? name : null,
    role: index === 0 ? 'host' : 'participant',
    verification: index === 1 ? 'verified' : 'unverified',
    attestation: index === 1 ? 'C' : null,
    link_session_id: index === 1 ? 'tc_1' : null,
    joined_at: index < 2 ? at : null,
    left_at: index < 2 ? at : null,
  }));
  return {
    report_id: 'mr_1',
    made_at: at,
    livemode: true,
    development: false,
    account_name: 'An account',
    platform: 'sandbox',
    meeting_id: 'AAECAwQFBgcICQoLDA0ODw',
    link_uuid: 'a-link',
    topic: 'A topic',
    organization: null,
    status: 'ended',
    end_reason: 'platform_ended',
    scheduled_at: null,
    started_at: at,
    ended_at: at,
    tracking: 'ok',
    participants,
    timeline: [
      { at, event: 'meeting.participant_joined', participant: name, state: 'joined, unverified' },
    ],
  };
}

describe.skipIf(!isReaderInstalled)('the pages of a report', () => {
  const textOf = async (content: ReportContent): Promise<string> => {
    const path = join(directory, 'report.pdf');
    writeFileSync(path, await renderReport(content));
    return execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
  };

  it('show who was in the meeting and what happened', async () => {
    const text = await textOf(contentOf(3));
    for (const said of [
      'Meeting report',
      'Report mr_1',
      '1 Meeting',
      'A topic',
      'An account',
      '2 Participants',
      'Erika Mustermann',
      'verified, C',
      'did not come',
      'tc_1',
      '3 Timeline',
      'meeting.participant_joined',
      'State after it',
      'joined, unverified',
      'Followed without a gap',
      '4 Limitations',
      'no seal',
      'Page 1 of',
    ]) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(said);
    }
    expect(text).not.toMatch(/TEST|DEVELOPMENT/);
  });

  it('say TEST when nothing is live', async () => {
    expect(await textOf({ ...contentOf(0), livemode: false })).toContain('TEST: this document');
    const gaps = await textOf({ ...contentOf(0), development: true, tracking: 'lost' });
    expect(gaps).toContain('DEVELOPMENT: the service accepts simulated evidence');
    expect(gaps).toContain('with gaps');
  });
});

describe('a report', () => {
  it('has the same bytes for the same content, on as many pages as needed', async () => {
    const content = contentOf(200);
    const [one, two] = await Promise.all([renderReport(content), renderReport(content)]);
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(true);
    const { length } = (await PDFDocument.load(one)).getPages();
    expect(length).toBeGreaterThan(4);
  });

  it('is rendered for any text', async () => {
    for (const text of Object.values(hostileTexts)) {
      const content = { ...contentOf(2, text), topic: text, organization: text };
      expect((await renderReport(content)).length).toBeGreaterThan(1000);
    }
  });
});

describe('the address of a report', () => {
  const secret = Buffer.alloc(32, 3);
  const now = new Date(at);
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const key = `reports/42/rp_${'0'.repeat(26)}.pdf`;
  const word = writeReportUrl(secret, key, later(600));

  it('grants access until it expires', () => {
    expect(readReportUrl([secret], word, later(599))).toEqual({ key, isGranted: true });
    expect(readReportUrl([secret], word, later(600))).toEqual({ key, isGranted: false });
  });

  it('is rejected unless the service wrote it', () => {
    const spell = (text: string): string => Buffer.from(text).toString('base64url');
    const plain = Buffer.from(word, 'base64url').toString();
    const nextOf = (character: string) => String.fromCharCode(character.charCodeAt(0) + 1);
    expect(nextOf(plain.at(-1) ?? '')).toMatch(/[A-Za-z0-9]/);
    const wrong = [
      '',
      'x',
      `${word}=`,
      `${word}A`,
      word.slice(0, -1),
      spell(plain.replace('42', '43')),
      spell(plain.replace(/expires=\d+/, 'expires=99999999999')),
      spell(plain.replace('reports/', 'affidavits/')),
      spell(plain.replace('42/', '42/../43/')),
      // Its last character has two unused bits: this one encodes the same signature.
      spell(plain.slice(0, -1) + nextOf(plain.at(-1) ?? '')),
      spell(`${plain}\n`),
      spell(`https://example.test/${plain}`),
      spell('https://example.test/'),
      spell('//example.test'),
      spell(`${plain}\u0000`),
      encodeURIComponent(word).replaceAll('A', '%41'),
      Buffer.from(plain).toString('base64').replace(/=*$/, '=='),
      spell(plain.repeat(20)),
      writeReportUrl(Buffer.alloc(32, 4), key, later(600)),
    ];
    expect(wrong.filter((each) => readReportUrl([secret], each, now) !== null)).toEqual([]);
  });
});
