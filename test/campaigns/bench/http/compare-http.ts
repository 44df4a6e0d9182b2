import type { BenchContext } from '../measure/bench.ts';
import { alternate } from '../measure/rounds.ts';
import { loadHttp, type HttpRound, type LoadRequest } from './load-http.ts';

export interface HttpTarget {
  readonly url: string;
  readonly pid: number;
}

export interface HttpComparison {
  readonly floor: HttpTarget;
  readonly candidate: HttpTarget;
  /** Requests a round. */
  readonly requests: number;
  /** Requests of either side before the first round. */
  readonly warmUpRequests: number;
  readonly connections: number;
  /** What is sent in each place of a round, made before its time counts; plain GETs without it. */
  readonly makeLoad?: (count: number) => Promise<readonly LoadRequest[]>;
}

/** Loads floor and candidate in turn; gives how many rounds there were and each figure of both. */
export async function compareHttp(
  { pace }: Pick<BenchContext, 'pace'>,
  { requests, warmUpRequests, connections, makeLoad, ...targets }: HttpComparison,
) {
  const measure = (side: keyof typeof targets, count: number) => async (): Promise<HttpRound> => {
    const load = (await makeLoad?.(count)) ?? [];
    return loadHttp(targets[side], count, connections, (place) => load[place]);
  };
  // The compiler of the engine is not what is measured: both sides are hot before the first round.
  await measure('floor', warmUpRequests)();
  await measure('candidate', warmUpRequests)();
  const seen = await alternate(
    { floor: measure('floor', requests), candidate: measure('candidate', requests) },
    pace,
  );
  const both = (name: keyof HttpRound) => ({
    floor: seen.floor.map((round) => round[name]),
    candidate: seen.candidate.map((round) => round[name]),
  });
  return { rounds: seen.floor.length, both };
}
