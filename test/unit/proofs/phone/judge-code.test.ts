import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guessesMax, isCodeLive, judgeCode } from '../../../../domain/proofs/phone/judge-code.ts';

const now = new Date('2026-01-02T03:04:05.000Z');
const later = new Date(now.getTime() + 1);
const sent = (guess: number | null, expiresAt = later) => ({
  expected: '012345',
  expiresAt,
  guess,
});

describe('a guess', () => {
  it.for([1, 2, 3, 4, 5])('passes with the right code as guess %d', (guess) => {
    const passed = { outcome: 'passed', reason_code: null, retryable: false };
    expect(judgeCode(sent(guess), '012345', now)).toEqual(passed);
    expect(judgeCode(sent(guess), ' 012 345 ', now)).toEqual(passed);
  });

  it.for([
    [1, true],
    [4, true],
    [5, false],
  ] as const)('is wrong as guess %d, and may be tried again: %s', ([guess, retryable]) => {
    expect(judgeCode(sent(guess), '012346', now)).toEqual({
      outcome: 'rejected',
      reason_code: 'code_wrong',
      retryable,
    });
  });

  it.for([null, 6, Number.POSITIVE_INFINITY])(
    'is refused as guess %s, even with the right code',
    (guess) => {
      expect(judgeCode(sent(guess), '012345', now)).toEqual({
        outcome: 'rejected',
        reason_code: 'attempts_exhausted',
        retryable: false,
      });
    },
  );

  it('is refused after the code has expired', () => {
    const expired = { outcome: 'rejected', reason_code: 'code_expired', retryable: true };
    expect(judgeCode(sent(1, now), '012345', now)).toEqual(expired);
    expect(judgeCode(sent(null, now), '012345', now)).toEqual(expired);
    expect([isCodeLive(now, now), isCodeLive(later, now)]).toEqual([false, true]);
  });

  it('is refused when no code was sent', () => {
    const notSent = { outcome: 'rejected', reason_code: 'code_not_sent', retryable: true };
    for (const offered of ['012345', '', undefined]) {
      expect(judgeCode(null, offered, now)).toEqual(notSent);
    }
  });

  it('is wrong for any other value, and nothing throws', () => {
    const odd = [12_345, null, undefined, ['012345'], { code: '012345' }, true, () => '012345', 1n];
    for (const offered of odd) {
      expect(judgeCode(sent(1), offered, now)).toMatchObject({ reason_code: 'code_wrong' });
    }
    fc.assert(
      fc.property(fc.anything(), (offered) => {
        const { outcome } = judgeCode(sent(1), offered, now);
        if (offered !== '012345') expect(outcome).toBe('rejected');
      }),
      { numRuns: 1000, seed: 1 },
    );
    expect(guessesMax).toBe(5);
  });
});
