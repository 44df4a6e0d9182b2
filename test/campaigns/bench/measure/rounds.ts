import { setTimeout as sleep } from 'node:timers/promises';

export interface Pace {
  readonly rounds: number;
  /** A bench starts no further round after this time, once it has enough of them. */
  readonly msMax: number;
  readonly signal: AbortSignal;
  readonly random: () => number;
}

/** Fewer rounds have no useful interval. */
const roundsMin = 3;
const settleMs = 100;

/**
 * Measures floor and candidate in turn, in random order within each round, so that neither always
 * runs on a warmer machine. Throws when the run is aborted.
 */
export async function alternate<Round>(
  sides: { floor: () => Promise<Round>; candidate: () => Promise<Round> },
  pace: Pace,
): Promise<{ floor: Round[]; candidate: Round[] }> {
  const seen: { floor: Round[]; candidate: Round[] } = { floor: [], candidate: [] };
  const deadline = performance.now() + pace.msMax;
  for (let round = 0; round < pace.rounds; round += 1) {
    if (round >= roundsMin && performance.now() > deadline) break;
    const names = ['floor', 'candidate'] as const;
    for (const name of pace.random() < 0.5 ? names : [...names].reverse()) {
      pace.signal.throwIfAborted();
      seen[name].push(await sides[name]());
      await sleep(settleMs);
    }
  }
  return seen;
}
