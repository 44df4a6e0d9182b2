import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Failure } from '../../../workflows/failures.ts';
import { call, type Answer, type CallOptions } from '../http/client.ts';

/**
 * The outcome of each caller of a round in a word or two: `200`, `409 invalid_state`, `won`,
 * `lost`.
 */
export type Outcomes = readonly string[];

/**
 * Sets up a round, runs `callers` concurrent calls and inspects the result.
 * @throws if the rule was broken
 */
export type Round = (callers: number) => Promise<Outcomes>;

/** Registers a cleanup to run after all rounds. */
export type AtEnd = (end: () => Promise<unknown>) => void;

/** An action that may succeed once, or N times, among concurrent callers. */
export interface Race {
  readonly name: string;
  /** The rule that holds in every round. */
  readonly rule: string;
  /** Names of the statements that decide the race. A law finds statements without a race. */
  readonly statements: readonly string[];
  /**
   * Maximum rounds of a campaign, unless more are requested. For races with many calls per round.
   */
  readonly roundsMax?: number;
  /** Sets up the state that all rounds share. */
  readonly prepare: (atEnd: AtEnd) => Promise<Round>;
}

/** Runs `act` concurrently for each of the callers. */
export async function atOnce<T>(callers: number, act: (place: number) => Promise<T>): Promise<T[]> {
  // A long setup can outlast idle connections. This lets the process notice their end first.
  await setImmediate();
  await setImmediate();
  return Promise.all(Array.from({ length: callers }, (_, place) => act(place)));
}

/**
 * The last full answer of each outcome. The error message prints it for an outcome that no rule
 * names.
 */
const lastTold = new Map<string, string>();

/** Returns the outcome of an answer: its status, and its code if it failed. */
export function told({ status, headers, text, body }: Answer): string {
  const way = status < 400 ? String(status) : `${status} ${String(body['code'])}`;
  lastTold.set(way, `${way}, Retry-After ${headers.get('retry-after') ?? 'none'}: ${text}`);
  return way;
}

/** Returns the outcome of work: `won` or `lost` by its result, or the code of its failure. */
export async function fate(work: Promise<unknown>): Promise<string> {
  try {
    return (await work) ? 'won' : 'lost';
  } catch (error) {
    if ((error as Error).name === 'Failure') return (error as Failure).code;
    throw error;
  }
}

export function countOf(outcomes: Outcomes): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of outcomes) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

/** Expects exactly these counts of outcomes. All other callers must have one of `others`. */
export function expectFates(
  outcomes: Outcomes,
  exact: Readonly<Record<string, number>>,
  others: readonly string[] = [],
): void {
  const counts = countOf(outcomes);
  const known = new Set([...Object.keys(exact), ...others]);
  const unnamed = Object.keys(counts).filter((one) => !known.has(one));
  expect(unnamed.map((one) => `${counts[one]} × ${lastTold.get(one) ?? one}`)).toEqual([]);
  const met = Object.keys(exact).filter((one) => exact[one] !== 0);
  expect(counts).toMatchObject(Object.fromEntries(met.map((one) => [one, exact[one]])));
}

let lastAddress = 0;

/**
 * Returns a new address for each round: limits per address then apply to one round, not to a whole
 * campaign.
 */
export function newAddress(): { readonly 'x-forwarded-for': string } {
  lastAddress += 1;
  const part = (by: number): number => Math.floor(lastAddress / by) % 250;
  return { 'x-forwarded-for': `172.${16 + (process.pid % 16)}.${part(250)}.${1 + part(1)}` };
}

/**
 * Repeats a call while the platform requests a retry, as its docs instruct callers.
 * @param later statuses to retry; includes 429 where a limit frees up within moments
 */
export async function untilAnswered(
  method: string,
  path: string,
  options: CallOptions,
  later: readonly number[] = [503],
): Promise<Answer> {
  for (;;) {
    const answer = await call(method, path, options);
    if (!later.includes(answer.status)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
