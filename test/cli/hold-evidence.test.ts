import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { holdEvidence } from '../../cli/hold-evidence.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-hold-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const front = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(200, 1)]);
/** Of the first form, whose hash is of the whole line. */
const whole = {
  format: 'trustcheck-evidence/1',
  kind: 'document-image',
  at: '2026-11-22T00:00:00.000Z',
  input: { front: front.toString('base64') },
};
const removed_at = '2026-11-29T00:00:00.000Z';
const place = { path: 'input.front', sha256: sha256(front), size_bytes: front.length, removed_at };
const withoutImages = { ...whole, input: {}, removed: [place] };

function hold(file: unknown, evidence: Readonly<Record<string, string>>) {
  const path = join(directory, 'evidence.ndjson');
  writeFileSync(path, `${JSON.stringify(file)}\n`);
  const verdict = { result: 'valid', reason_code: null, checks: [], facts: { evidence } };
  return holdEvidence(verdict as unknown as AffidavitVerdict, path);
}

describe('evidence of the first form, held against an affidavit', () => {
  const named = { document: sha256(JSON.stringify(whole)) };
  it.each([
    ['is the one it names', whole, named, 'valid', null, 'ok'],
    ['is another', whole, { document: sha256('x') }, 'invalid', 'evidence_differs', 'failed'],
    // Its hash was of the images, too: nothing tells any more, and nobody is accused.
    ['lacks images', withoutImages, named, 'indeterminate', 'evidence_removed', 'skipped'],
    ['is not named at all', whole, {}, 'valid', null, 'skipped'],
  ])('%s', async (_what, file, evidence, result, reason_code, held) => {
    expect(await hold(file, evidence)).toMatchObject({
      result,
      reason_code,
      checks: [{ name: 'evidence', result: held }],
    });
  });
});
