import type { Outbox } from './relay.ts';

export interface SweepDeps {
  readonly clock: () => Date;
}

/** Removes old rows, at most so many at a time; says how many. */
export type RemoveOld = (now: Date, lengthMax: number) => Promise<number>;

const batchSize = 1_000;
/** A sweep finds what grew old in this time; nothing waits for it. */
const restMs = 60_000;

/** Removes what has grown old, once a minute, whoever asks; several workers take different rows. */
export function sweep({ clock }: SweepDeps, remove: RemoveOld): Outbox {
  let nextAt = 0;
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      const now = clock().getTime();
      if (now < nextAt) return;
      while (!signal.aborted) {
        if ((await remove(new Date(now), batchSize)) < batchSize) break;
      }
      nextAt = now + restMs;
    },
  };
}
