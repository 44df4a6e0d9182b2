import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../support/fixtures/seeded.ts';
import { judgeCount, judgeMeasure } from './judge.ts';
import { cpuMsIn, cpuMsOf } from './procfs.ts';
import { topOf } from './profile.ts';
import { judgeResult, linesOf } from './report.ts';
import { alternate } from './rounds.ts';
import { bootstrapInterval, isNoisy, median, quantile, ratios, spreadOf } from './statistics.ts';

const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 40,
});

describe('quantiles', () => {
  it('have their textbook values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0)).toBe(10);
    expect(quantile([10, 20, 30, 40, 50], 1)).toBe(50);
    expect(quantile([10, 20, 30, 40, 50], 0.9)).toBeCloseTo(46);
    expect(median([])).toBeNaN();
  });

  it('lie within the values, rise with the fraction, and leave the input unchanged', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, part) => {
        const before = [...list];
        const found = quantile(list, part);
        expect(list).toEqual(before);
        expect(found).toBeGreaterThanOrEqual(Math.min(...list));
        expect(found).toBeLessThanOrEqual(Math.max(...list));
        expect(quantile(list, 1)).toBeGreaterThanOrEqual(found);
      }),
    );
  });
});

describe('the interval of a median', () => {
  it('is deterministic for a seed and lies within the values', () => {
    fc.assert(
      fc.property(values, fc.integer(), (list, seed) => {
        const interval = bootstrapInterval(list, seeded(seed));
        expect(interval).toEqual(bootstrapInterval(list, seeded(seed)));
        expect(interval.low).toBeLessThanOrEqual(interval.high);
        expect(interval.low).toBeGreaterThanOrEqual(Math.min(...list));
        expect(interval.high).toBeLessThanOrEqual(Math.max(...list));
      }),
      { numRuns: 20 },
    );
  });

  it('is a single point when all values are equal', () => {
    expect(bootstrapInterval([1.5, 1.5, 1.5], seeded(1))).toEqual({ low: 1.5, high: 1.5 });
  });

  it('covers the true median about as often as stated', () => {
    const random = seeded(7);
    let covered = 0;
    const trials = 300;
    for (let trial = 0; trial < trials; trial += 1) {
      const sample = Array.from({ length: 15 }, random);
      const { low, high } = bootstrapInterval(sample, random);
      if (low <= 0.5 && 0.5 <= high) covered += 1;
    }
    expect(covered / trials).toBeGreaterThan(0.88);
    expect(covered / trials).toBeLessThan(1);
  });
});

describe('isNoisy', () => {
  it('returns true when a floor spreads by more than a quarter of its median', () => {
    expect(spreadOf([90, 100, 110])).toBeCloseTo(0.2);
    expect(isNoisy([100, 100, 125])).toBe(false);
    expect(isNoisy([100, 100, 126])).toBe(true);
    expect(isNoisy([100])).toBe(false);
  });

  it('returns true for unusable values', () => {
    expect(isNoisy([])).toBe(true);
    expect(isNoisy([Number.NaN, 1, 1])).toBe(true);
    expect(isNoisy([0, 0, 0])).toBe(true);
  });
});

describe('a measure', () => {
  const measure = {
    name: 'CPU',
    unit: 'µs',
    floor: [10, 20, 40],
    candidate: [15, 30, 60],
  } as const;

  it('is judged by the ratios of its rounds, so that a slowing machine does not matter', () => {
    const judged = judgeMeasure({ ...measure, goal: { of: 'ratio', max: 1.5 } }, seeded(1));
    expect(judged).toMatchObject({ ratio: 1.5, isMet: true, isNoisy: true });
    expect(judged.interval95).toEqual({ low: 1.5, high: 1.5 });
    const missed = judgeMeasure({ ...measure, goal: { of: 'ratio', max: 1.49 } }, seeded(1));
    expect(missed.isMet).toBe(false);
  });

  it('can have a goal for its own value, or none', () => {
    const own = judgeMeasure({ ...measure, goal: { of: 'candidate', max: 29 } }, seeded(1));
    expect(own).toMatchObject({ candidate: 30, isMet: false });
    expect(judgeMeasure(measure, seeded(1)).isMet).toBeNull();
    expect(judgeCount({ name: 'lost', value: 1, max: 0 }).isMet).toBe(false);
    expect(judgeCount({ name: 'lost', value: 1 }).isMet).toBeNull();
  });

  it('rejects rounds that do not form pairs', () => {
    expect(() => ratios([1, 2], [1])).toThrow('pair');
  });

  it('misses its goal when it has no values', () => {
    const nothing = {
      ...measure,
      floor: [],
      candidate: [],
      goal: { of: 'ratio', max: 2 },
    } as const;
    expect(judgeMeasure(nothing, seeded(1)).isMet).toBe(false);
    expect(judgeCount({ name: 'events', value: Number.NaN, max: 45 }).isMet).toBe(false);
  });

  it('is printed with its goal, its interval and its mark', () => {
    const judged = judgeResult(
      {
        id: 'P0',
        title: 'nothing',
        extent: '3 rounds',
        measures: [{ ...measure, goal: { of: 'ratio', max: 1.4 } }],
        counts: [{ name: 'lost', value: 0, max: 0 }],
      },
      seeded(1),
    );
    const [title, line, count] = linesOf(judged, { node: 'v0', cores: 2, load: 0.51 });
    expect(title).toBe('P0 nothing · 3 rounds · Node v0, 2 cores, load 0.5');
    expect(line).toMatch(
      /CPU +30 µs on floor +20 µs +×1\.50 \[1\.50, 1\.50\] +goal ≤ ×1\.4 MISSED/,
    );
    expect(line).toMatch(/NOISY$/);
    expect(count).toMatch(/lost +0 +goal ≤ 0 met$/);
  });
});

describe('rounds', () => {
  const pace = { rounds: 20, msMax: 60_000, signal: new AbortController().signal };

  it('run in pairs in random order', async () => {
    const order: string[] = [];
    const side = (name: string) => async () => {
      order.push(name);
      return order.length;
    };
    const sides = { floor: side('floor'), candidate: side('candidate') };
    const seen = await alternate(sides, { ...pace, rounds: 6, random: seeded(3) });
    expect(seen.floor).toHaveLength(6);
    const pairs = Array.from({ length: 6 }, (_, round) => order.slice(2 * round, 2 * round + 2));
    for (const pair of pairs) expect(new Set(pair)).toEqual(new Set(['floor', 'candidate']));
    expect(new Set(pairs.map(([first]) => first)).size).toBe(2);
  });

  it('end when the time is spent, but not before three rounds', async () => {
    const nothing = async (): Promise<number> => 0;
    const sides = { floor: nothing, candidate: nothing };
    const seen = await alternate(sides, { ...pace, msMax: 0, random: seeded(1) });
    expect(seen.floor).toHaveLength(3);
  });

  it('end at once when the run is aborted', async () => {
    const ending = new AbortController();
    const side = async (): Promise<void> => ending.abort(new Error('enough'));
    const sides = { floor: side, candidate: side };
    const run = alternate(sides, { ...pace, signal: ending.signal, random: seeded(1) });
    await expect(run).rejects.toThrow('enough');
  });
});

describe('the CPU time of a process', () => {
  it('is parsed after a process name with blanks and parentheses', () => {
    const stat = `42 (a ) b (c) S ${Array.from({ length: 10 }, () => '0').join(' ')} 12 30 0 0`;
    expect(cpuMsIn(stat)).toBe(420);
    expect(() => cpuMsIn('')).toThrow('no stat');
  });

  it('rises while this process works', () => {
    const before = cpuMsOf(process.pid);
    const { user } = process.cpuUsage();
    // The system counts in hundredths of a second.
    while (process.cpuUsage().user - user < 50_000) Math.sqrt(before);
    expect(cpuMsOf(process.pid)).toBeGreaterThan(before);
  });
});

describe('topOf', () => {
  it('returns the functions with the most own time, without idle time', () => {
    const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 4 });
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(idle)') },
        { id: 2, callFrame: frame('write') },
        { id: 3, callFrame: frame('', 'file:///x/node_modules/pg/lib/client.js') },
      ],
      samples: [1, 2, 3, 2],
      timeDeltas: [9_000, 1_000, 1_000, 2_000],
    };
    expect(topOf(profile, 5)).toEqual([
      { where: 'write', ms: 3, part: 0.75 },
      { where: '(anonymous) pg/lib/client.js:5', ms: 1, part: 0.25 },
    ]);
    expect(topOf(profile, 1)).toHaveLength(1);
  });
});
