import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test, vi } from 'vitest';
import { verifyEvidenceFile } from '../../../cli/evidence/verify-evidence.ts';
import { compareEvidence } from '../../../cli/verify/compare-evidence.ts';
import type { AffidavitVerdict } from '../../../domain/affidavit/verify/verdict.ts';
import { evidenceHashOf, nameImages } from '../../../domain/evidence/binding.ts';
import { EvidenceFileError } from '../../../domain/evidence/file.ts';
import { takeOutImages, withoutImages, type File } from '../../../domain/evidence/images.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import { documentRules } from '../../../domain/proofs/document/rules.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-binding-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const jpegOf = (text: string): string =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(text)]).toString('base64');
const whole = nameImages({
  format: 'trustcheck-evidence/1',
  kind: 'document-image',
  at: '2026-11-22T00:00:00Z',
  policy: { countries: ['UTO'], rules: documentRules },
  input: { front: jpegOf('front'), back: jpegOf('back') },
});
const record = nameImages({
  format: 'trustcheck-evidence/1',
  kind: 'sms-code',
  at: '2026-11-22T00:00:00Z',
  input: { link_session_id: 'ls_1', phone_number: '+15005550006', salt: 'c2FsdA==' },
});
const removedAt = new Date('2026-11-29T00:00:00Z');
/** The export after its images, or all but the first N, were removed. */
function rest(count = 2): File {
  const gone = takeOutImages(whole).places.slice(0, count);
  return withoutImages(
    whole,
    gone.map((place) => ({ ...place, removed_at: removedAt })),
  );
}
const hash = evidenceHashOf([whole]) ?? '';

type Change = (file: ReturnType<typeof JSON.parse>) => void;
function changed(file: File, change: Change): File {
  const copy = structuredClone(file);
  change(copy);
  return copy;
}

/** The results of both commands for an export and the hash from the API and the affidavit. */
async function held(files: readonly File[], named = hash) {
  const path = join(directory, 'evidence.ndjson');
  writeFileSync(path, files.map((file) => `${JSON.stringify(file)}\n`).join(''));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await verifyEvidenceFile(path, { json: true, hash: [named] });
  const verdicts = JSON.parse(String(write.mock.calls[0]?.[0]));
  write.mockRestore();
  const valid: AffidavitVerdict = {
    result: 'valid',
    reason_code: null,
    checks: [],
    facts: { sha256: '', evidence: { document: named } },
  };
  const { result, reason_code, checks } = await compareEvidence(valid, path);
  return { on: verdicts.at(-1), affidavit: { result, reason_code, checks } };
}

test('the independent script orders names as RFC 8785 requires', () => {
  const input = {
    '10': 1,
    '2': { b: [], a: null },
    '\u00f6': '\u20ac',
    '\u{1f600}': 2,
    '\ufb33': -0,
  };
  const odd = nameImages({ ...record, input });
  const path = join(directory, 'odd.ndjson');
  writeFileSync(path, `${JSON.stringify(odd)}\n`);
  const script = new URL('../../../docs/protocols/evidence-hash.mjs', import.meta.url).pathname;
  const { stdout } = spawnSync(process.execPath, [script, path, 'sms-code'], { encoding: 'utf8' });
  expect(stdout.trim()).toBe(evidenceHashOf([odd]));
});

describe('the evidence hash', () => {
  it.each([
    ['with all images', [whole]],
    ['with one image left', [rest(1)]],
    ['with no image left', [rest()]],
    [
      'with its members in another order',
      [Object.fromEntries(Object.entries(rest()).toReversed())],
    ],
    ['beside other files', [record, rest(), record]],
  ])('matches an export %s', async (_, files) => {
    const { on, affidavit } = await held(files);
    expect(on).toMatchObject({ kind: 'evidence-hash', verdict: 'passed', reason_code: null });
    expect(affidavit).toEqual({
      result: 'valid',
      reason_code: null,
      checks: [{ name: 'evidence', result: 'ok' }],
    });
  });

  it('matches the files of its submission only in their order', async () => {
    const both = evidenceHashOf([whole, record]) ?? '';
    const files = [rest(), record];
    expect((await held(files, both)).on).toMatchObject({ verdict: 'passed' });
    expect((await held(files.toReversed(), both)).on).toMatchObject({ verdict: 'failed' });
  });

  it('matches a device proof of five files: key, recall, token, its recall, assertion', async () => {
    const five = Array.from({ length: 5 }, (_, index) =>
      changed(record, (file) => (file.input.link_session_id = `ls_${index}`)),
    );
    const named = evidenceHashOf(five) ?? '';
    expect((await held([rest(), ...five], named)).on).toMatchObject({ verdict: 'passed' });
  });

  const other = jpegOf('other');
  it.each<[string, File, Change, string | null]>([
    ['a field', whole, (file) => (file.policy.countries = ['USA']), null],
    ['a field beside removed images', rest(), (file) => (file.at = '2026-11-23T00:00:00Z'), null],
    ['an unknown field', rest(), (file) => (file.input.note = 'x'), null],
    [
      'the hash of a removed image',
      rest(),
      (file) => (file.removed[0].sha256 = 'ab'.repeat(32)),
      'removed_differs',
    ],
    [
      'the size of a removed image',
      rest(),
      (file) => (file.removed[0].size_bytes += 1),
      'removed_differs',
    ],
    [
      'the hash of a removed image in both lists',
      rest(),
      (file) => {
        file.removed[0].sha256 = 'ab'.repeat(32);
        file.images[0].sha256 = 'ab'.repeat(32);
      },
      null,
    ],
    ['the list of removed images', rest(), (file) => file.removed.pop(), 'removed_differs'],
    [
      'the list of removed images, with one more',
      rest(),
      (file) => file.removed.push({ ...file.removed[0], path: 'input.third' }),
      'removed_differs',
    ],
    [
      'a removed image, which is present',
      rest(),
      (file) => (file.input.front = jpegOf('front')),
      'removed_differs',
    ],
    ['an image', whole, (file) => (file.input.front = other), 'image_differs'],
    ['a remaining image', rest(1), (file) => (file.input.back = other), 'image_differs'],
    ['the list of images', whole, (file) => file.images.pop(), null],
    [
      'the path of an image',
      whole,
      (file) => (file.images[0].path = 'input.constructor.prototype'),
      'image_differs',
    ],
    [
      'the list of images, with one image twice',
      whole,
      (file) => file.images.push(file.images[0]),
      'image_differs',
    ],
  ])('does not match after a change of %s', async (_, file, change, reason) => {
    const bent = changed(file, change);
    if (reason) {
      expect(judgeEvidence(bent)).toMatchObject({ verdict: 'failed', reason_code: reason });
    }
    const { on, affidavit } = await held([bent]);
    expect(on).toMatchObject({
      verdict: 'failed',
      reason_code: 'evidence_differs',
      facts: { evidence_hash: hash },
    });
    expect(affidavit).toEqual({
      result: 'invalid',
      reason_code: 'evidence_differs',
      checks: [{ name: 'evidence', result: 'failed', detail: 'document' }],
    });
  });

  it('needs a list of images and the known format', () => {
    const read = (change: object) =>
      readEvidenceFile(Buffer.from(JSON.stringify({ ...whole, ...change })));
    expect(() => read({ images: undefined })).toThrow(new EvidenceFileError('images: missing'));
    expect(() => read({ format: 'trustcheck-evidence/2' })).toThrow(
      new EvidenceFileError('format: not trustcheck-evidence/1'),
    );
  });
});
