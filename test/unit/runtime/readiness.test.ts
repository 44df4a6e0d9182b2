import { describe, expect, it } from 'vitest';
import { createReadiness } from '../../../activities/runtime/readiness.ts';

describe('readiness', () => {
  it('runs its checks on each call, and once for concurrent callers', async () => {
    let isAway = true;
    let asked = 0;
    let answer = (): void => undefined;
    const readiness = createReadiness({
      steady: async () => undefined,
      store: async () => {
        asked += 1;
        await new Promise<void>((resolve) => (answer = resolve));
        if (isAway) throw new Error('away');
      },
    });
    const round = async (isReady: boolean): Promise<void> => {
      const callers = Array.from({ length: 50 }, readiness);
      answer();
      for (const said of await Promise.all(callers)) {
        expect(said).toEqual({ isReady, checks: { steady: true, store: isReady } });
      }
    };
    await round(false);
    isAway = false;
    await round(true);
    isAway = true;
    await round(false);
    expect(asked).toBe(3);
  });

  it('reports a check that does not answer as failed, and does not start it again meanwhile', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const readiness = createReadiness({
      store: async () => {
        asked += 1;
        await new Promise<void>((resolve) => (answer = resolve));
      },
    });
    for (let round = 0; round < 2; round += 1) {
      expect((await readiness()).checks).toEqual({ store: false });
    }
    expect(asked).toBe(1);
    const healed = readiness();
    answer();
    expect((await healed).isReady).toBe(true);
  });
});
