import { describe, expect, it } from 'vitest';
import { separationOf } from './separation.ts';

/** Returns a seeded random generator. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('separationOf', () => {
  it.each([
    ['below', [1, 2, 3], [4, 5, 6], 0],
    ['above', [4, 5, 6], [1, 2, 3], 1],
    ['the same', [1, 2, 3], [1, 2, 3], 0.5],
    ['all alike', [7, 7, 7, 7], [7, 7], 0.5],
    ['interleaved', [1, 3, 5], [2, 4, 6], 1 / 3],
    ['of one each', [1], [2], 0],
  ])('is exact for a class that is %s', (_what, one, other, auc) => {
    expect(separationOf(one, other).auc).toBeCloseTo(auc, 12);
    expect(separationOf(other, one).auc).toBeCloseTo(1 - auc, 12);
  });

  it('detects a shift of a tenth of the spread, and none without a shift', () => {
    const random = generator(7);
    const times = (shift: number): number[] =>
      Array.from({ length: 3000 }, () => 1 + random() + shift);
    const none = separationOf(times(0), times(0));
    expect(Math.abs(none.auc - 0.5)).toBeLessThan(0.03);
    expect(Math.abs(none.z)).toBeLessThan(4);
    const some = separationOf(times(0.1), times(0));
    expect(some.auc).toBeGreaterThan(0.55);
    expect(some.z).toBeGreaterThan(4);
  });

  it('throws for a class without times', () => {
    expect(() => separationOf([], [1])).toThrow(RangeError);
  });
});
