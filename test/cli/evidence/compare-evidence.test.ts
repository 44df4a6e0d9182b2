import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareEvidence } from '../../../cli/verify/compare-evidence.ts';
import type { AffidavitVerdict } from '../../../domain/affidavit/verify/verdict.ts';
import { evidenceHashOf, nameImages } from '../../../domain/evidence/binding.ts';
import { takeOutImages, withoutImages } from '../../../domain/evidence/images.ts';
import { documentRules } from '../../../domain/proofs/document/rules.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-hold-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const front = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200, 1)]);
const whole = nameImages({
  format: 'trustcheck-evidence/1',
  kind: 'document-image',
  at: '2026-11-22T00:00:00.000Z',
  policy: { rules: documentRules },
  input: { front: front.toString('base64') },
});
const removed_at = new Date('2026-11-29T00:00:00Z');
const gone = takeOutImages(whole).places.map((place) => ({ ...place, removed_at }));
const rest = withoutImages(whole, gone);

function hold(file: unknown, evidence: Readonly<Record<string, string>>) {
  const path = join(directory, 'evidence.ndjson');
  writeFileSync(path, `${JSON.stringify(file)}\n`);
  const verdict = { result: 'valid', reason_code: null, checks: [], facts: { evidence } };
  return compareEvidence(verdict as unknown as AffidavitVerdict, path);
}

describe('evidence compared with an affidavit', () => {
  const named = { document: evidenceHashOf([whole]) ?? '' };
  it.each([
    ['is valid when the affidavit names it', whole, named, 'valid', null, 'ok'],
    [
      'is invalid when the affidavit names other evidence',
      whole,
      { document: 'ab'.repeat(32) },
      'invalid',
      'evidence_differs',
      'failed',
    ],
    ['is valid without its images', rest, named, 'valid', null, 'ok'],
    ['is skipped when the affidavit names none', whole, {}, 'valid', null, 'skipped'],
  ])('%s', async (_what, file, evidence, result, reason_code, held) => {
    expect(await hold(file, evidence)).toMatchObject({
      result,
      reason_code,
      checks: [{ name: 'evidence', result: held }],
    });
  });
});
