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
  /** Requests per round. */
  readonly requests: number;
  /** Requests to each side before the first round. */
  readonly warmUpRequests: number;
  readonly connections: number;
  /** Makes the requests of a round before its time counts; plain GETs without it. */
  readonly makeLoad?: (count: number) => Promise<readonly LoadRequest[]>;
}

/** Loads floor and candidate in turn, and returns the number of rounds and the figures of both. */
export async function compareHttp(
  { pace }: Pick<BenchContext, 'pace'>,
  { requests, warmUpRequests, connections, makeLoad, ...targets }: HttpComparison,
) {
  const measure = (side: keyof typeof targets, count: number) => async (): Promise<HttpRound> => {
    const load = (await makeLoad?.(count)) ?? [];
    return loadHttp(targets[side], count, connections, (place) => load[place]);
  };
  // Warms both sides up before the first round, because compilation is not measured.
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
