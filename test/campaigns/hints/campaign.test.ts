import { describe, expect, it } from 'vitest';
import { hintFilms, matrixOf, medianMsOf, rightShareOf } from './campaign.ts';

describe('the campaign of hints', () => {
  it('finds the right fault in each sample film', async () => {
    const films = await hintFilms(20_006, 7);
    expect(new Set(films.map(({ truth }) => truth)).size).toBe(7);
    expect(films.filter(({ truth, hint }) => truth !== hint)).toEqual([]);
    expect(medianMsOf(films)).toBeGreaterThan(0);
  });

  it('counts each film once, by its fault and its hint', () => {
    const film = { name: '', strength: 0.1, ms: 1 };
    const films = [
      { ...film, truth: null, hint: null },
      { ...film, truth: 'glare', hint: 'glare' },
      { ...film, truth: 'glare', hint: 'blurred', strength: 0.9 },
    ] as const;
    const rows = matrixOf(films).split('\n');
    expect(rightShareOf(films)).toBeCloseTo(2 / 3);
    expect(rows[2]).toBe('| none | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 100.0 % | – |');
    expect(rows[5]).toBe('| glare | 0 | 0 | 1 | 1 | 0 | 0 | 0 | 50.0 % | 100.0 % |');
  });
});
