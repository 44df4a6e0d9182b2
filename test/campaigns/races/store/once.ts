import { expect } from 'vitest';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { stage, staged, type Stage } from '../../../support/races/stage.ts';

/** What the callers of a round do, and what has to be left afterwards. */
export interface Attempt {
  /** Something truthy for whoever wins. */
  readonly act: (place: number) => Promise<unknown>;
  /** How many win; one unless told otherwise. */
  readonly winners?: number;
  /** What those who do not win are told; nothing unless told otherwise. */
  readonly loses?: string;
  /** A query, its values, and the rows it has to find. */
  readonly left?: readonly [text: string, values: readonly unknown[], rows: readonly unknown[]];
}

/** A race on the stage of which one wins, or so many, and the others are told so. */
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
