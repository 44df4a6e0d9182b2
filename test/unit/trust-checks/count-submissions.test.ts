import { describe, expect, it } from 'vitest';
import { countSubmissions, lastSubmission } from '../../../activities/proofs/count-submissions.ts';
import type { ProofState } from '../../../workflows/proofs.ts';
import type { LogEntry } from '../../../workflows/trust-check/messages.ts';

const step = (
  proof_to: ProofState,
  submission_id?: string,
  proof_from: ProofState = 'processing',
): LogEntry => ({
  version: 1,
  at: '2026-11-21T06:00:00.000Z',
  proof: 'phone',
  proof_from,
  proof_to,
  ...(submission_id === undefined ? {} : { submission_id }),
});
const row = (submission_id: string, outcome: string, proof: 'phone' | 'device' = 'phone') => ({
  submission_id,
  proof,
  outcome,
});

const judged = [row('first', 'rejected'), row('second', 'passed'), row('third', 'passed')];
const reviewed = step('passed', undefined, 'in_review');

describe('countSubmissions', () => {
  it.each([
    ['those that a step names', [step('requires_retry', 'first'), step('passed', 'second')], 2],
    ['none that was judged differently after its step', [step('in_review', 'third')], 0],
    ['none for a step that names none', [step('passed')], 0],
    ['none for a review', [step('in_review', 'other'), reviewed], 0],
    ['none for an empty log', [], 0],
  ] as const)('returns %s', (_which, log, count) => {
    const counted = countSubmissions(log, [...judged, row('fourth', 'passed', 'device')]);
    expect(counted).toHaveLength(count);
    expect(counted.every(({ proof }) => proof === 'phone')).toBe(true);
  });
});

describe('lastSubmission', () => {
  it.each([
    ['returns the one of the last attempt', [step('passed', 'second')], 'second'],
    ['ignores a later review', [step('requires_retry', 'first'), reviewed], 'first'],
    [
      'returns undefined when the last attempt was not judged',
      [step('requires_retry', 'first'), step('in_review', 'unjudged'), reviewed],
      undefined,
    ],
    ['returns undefined when the last attempt names none', [step('requires_retry')], undefined],
    ['returns undefined for an empty log', [], undefined],
  ] as const)('%s', (_what, log, id) => {
    expect(lastSubmission(log, judged, 'phone')?.submission_id).toBe(id);
  });

  it('returns undefined for another proof', () => {
    expect(lastSubmission([step('passed', 'second')], judged, 'device')).toBeUndefined();
    expect(lastSubmission([], judged, 'device')).toBeUndefined();
  });
});
