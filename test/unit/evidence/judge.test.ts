import { describe, expect, it } from 'vitest';
import { evidenceKinds } from '../../../domain/judging/files.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';

const specimen = {
  format: 'trustcheck-evidence/1',
  kind: 'mrz',
  at: '2010-01-01T00:00:00.000Z',
  input: {
    lines: [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    ],
  },
};
const chip = (sod: string) => ({
  ...specimen,
  kind: 'emrtd',
  policy: { csca: [] },
  input: { sod, data_groups: {} },
});

describe('judgeEvidence', () => {
  it('judges an object without serializing it', () => {
    const file = {
      ...specimen,
      toJSON: () => {
        throw new Error('written down');
      },
    };
    expect(judgeEvidence(file)).toEqual(judgeEvidence(specimen));
    expect(judgeEvidence(file).verdict).toBe('passed');
  });

  it('calls an object malformed when it is larger than a file may be', () => {
    const whole = judgeEvidence(chip('A'.repeat(4 * 7_000_000)));
    const over = judgeEvidence(chip('A'.repeat(4 * 9_000_000)));
    expect(whole.checks[0]?.detail ?? '').not.toContain('MiB');
    expect(over).toMatchObject({ verdict: 'failed', reason_code: 'malformed' });
    expect(over.checks).toEqual([
      { name: 'parse', result: 'failed', detail: 'the file is over 31 MiB' },
    ]);
  });

  it('accepts any depth of nesting', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    const verdict = judgeEvidence({ ...specimen, input: { lines: deep } });
    expect(verdict).toMatchObject({ verdict: 'failed', reason_code: 'malformed' });
  });
});

it('evidenceKinds lists every kind that a file can be judged as', () => {
  const kinds = [
    'aamva',
    'android-assertion',
    'android-key-attestation',
    'apple-assertion',
    'apple-attestation',
    'apple-receipt',
    'device-recall',
    'document-image',
    'emrtd',
    'face-claim',
    'face-match',
    'mrz',
    'play-integrity',
    'sms-code',
  ];
  expect(evidenceKinds).toEqual(new Set(kinds));
  for (const kind of kinds) {
    const [parse] = judgeEvidence({ ...specimen, kind, input: null }).checks;
    expect(parse?.detail, kind).toMatch(/^(input|policy)/);
  }
});
