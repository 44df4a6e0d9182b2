import type { Outbox } from './relay.ts';

export interface SweepDeps {
  readonly clock: () => Date;
}

/** Processes due rows, at most `lengthMax`, and returns their number. */
export type SweepOnce = (now: Date, lengthMax: number) => Promise<number>;

const batchSize = 1_000;
/** Pause between two sweeps. Nothing waits for a sweep. */
const restMs = 60_000;

/** Returns an outbox that sweeps at most once a minute. Several workers take different rows. */
export function sweep({ clock }: SweepDeps, once: SweepOnce, batchMax = batchSize): Outbox {
  let nextAt = 0;
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      const now = clock().getTime();
      if (now < nextAt) return;
      while (!signal.aborted) {
        if ((await once(new Date(now), batchMax)) < batchMax) break;
      }
      nextAt = now + restMs;
    },
  };
}
