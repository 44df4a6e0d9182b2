import { expect } from 'vitest';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { stage, staged, type Stage } from '../../../support/races/stage.ts';

/** What the callers of a round do, and the expected rows afterwards. */
export interface Attempt {
  /** Resolves to a truthy value for a winner. */
  readonly act: (place: number) => Promise<unknown>;
  /** Number of winners; one by default. */
  readonly winners?: number;
  /** The outcome of the losers; `lost` by default. */
  readonly loses?: string;
  /** A query, its values and the expected rows. */
  readonly left?: readonly [text: string, values: readonly unknown[], rows: readonly unknown[]];
}

/** Makes a race with a fixed number of winners; all other callers get the outcome `loses`. */
export function winners(
  race: Pick<Race, 'name' | 'rule' | 'statements'>,
  ready: (on: Stage) => Promise<Attempt>,
): Race {
  return {
    ...race,
    async prepare() {
      const on = await stage();
      return async (callers) => {
        const { act, winners: most = 1, loses = 'lost', left } = await ready(on);
        const outcomes = await atOnce(callers, (place) => fate(act(place)));
        const won = Math.min(most, callers);
        expectFates(outcomes, { won, [loses]: callers - won });
        if (left) expect(await staged(on, left[0], left[1])).toEqual(left[2]);
        return outcomes;
      };
    },
  };
}
