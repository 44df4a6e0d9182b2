import type { Outbox } from './relay.ts';

export interface SweepDeps {
  readonly clock: () => Date;
}

/** Does what has come due, at most so much at a time; says how much. */
export type SweepOnce = (now: Date, lengthMax: number) => Promise<number>;

const batchSize = 1_000;
/** A sweep finds what grew old in this time; nothing waits for it. */
const restMs = 60_000;

/** Does what has come due, once a minute, whoever asks; several workers take different rows. */
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
