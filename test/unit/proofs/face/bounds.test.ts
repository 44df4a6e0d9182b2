import { expect, test } from 'vitest';
import { EvidenceFileError } from '../../../../domain/evidence/file.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { usualBounds, type FaceBounds } from '../../../../domain/proofs/face/bounds.ts';
import { usualPolicy } from '../../../../domain/proofs/face/verify-face-match.ts';
import { judgedAt } from '../../../support/fixtures/faces/judge.ts';
import { steps, judge } from '../../../support/fixtures/faces/seen.ts';

const fileWith = (bounds: unknown) =>
  Buffer.from(
    JSON.stringify({
      format: 'trustcheck-evidence/1',
      images: [],
      kind: 'face-match',
      at: judgedAt.toISOString(),
      policy: { ...usualPolicy, reader: 'test', bounds },
      input: {
        portrait: 'AA==',
        portrait_of: 'a'.repeat(64),
        frames: [],
        challenge: { actions: [], issued_at: judgedAt, expires_at: judgedAt },
        repeats: { same: 0, near: 0 },
      },
    }),
  );
const names = Object.keys(usualBounds) as (keyof FaceBounds)[];

test('every bound is read from the file, not from the defaults', () => {
  for (const name of names) {
    const bounds = { ...usualBounds, [name]: usualBounds[name] + 1 };
    expect(readEvidenceFile(fileWith(bounds)), name).toMatchObject({ policy: { bounds } });
  }
});

test('a file without one of the bounds is refused', () => {
  for (const name of names) {
    const read = () => readEvidenceFile(fileWith({ ...usualBounds, [name]: undefined }));
    expect(read).toThrow(new EvidenceFileError(`policy.bounds.${name}: missing`));
  }
});

test('a verdict uses the bounds of its file', () => {
  const wider = judge(steps, { policy: { bounds: { ...usualBounds, turn_on: 29 } } });
  expect([wider.verdict, wider.reason_code]).toEqual(['failed', 'challenge_failed']);
  expect(judge().verdict).toBe('passed');
});

test.each([
  ['of another build', { ...usualBounds, ears_min: 2 }],
  ['of a wrong type', { ...usualBounds, turn_on: '16' }],
  ['outside the valid range', { ...usualBounds, turn_on: 1e9 }],
  ['in a list', [16]],
])('bounds %s are refused', (_, bounds) => {
  expect(() => readEvidenceFile(fileWith(bounds))).toThrow(EvidenceFileError);
});

test('a verdict reports a reader other than the one of the file', () => {
  const told = (reader: string) => judge(steps, { policy: { reader } }).facts['reader_differs'];
  expect([told('test'), told('face-reader/0')]).toEqual([false, true]);
});
