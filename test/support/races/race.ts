import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Failure } from '../../../workflows/failures.ts';
import { call, type Answer, type CallOptions } from '../http/client.ts';

/** How each caller of a round fared, in a word or two: `200`, `409 invalid_state`, `won`, `lost`. */
export type Outcomes = readonly string[];

/** Sets its stage, has so many callers at once, looks at what is left; throws where a rule broke. */
export type Round = (callers: number) => Promise<Outcomes>;

/** Notes what is to be ended once all rounds are over. */
export type AtEnd = (end: () => Promise<unknown>) => void;

/** One thing that may be done once, or so often, whoever else does it at this very moment. */
export interface Race {
  readonly name: string;
  /** What holds in every round. */
  readonly rule: string;
  /** The statements that decide it, by name; a law finds one that no race is about. */
  readonly statements: readonly string[];
  /** Fewer rounds of it make a campaign, unless so many are asked for: each is many calls. */
  readonly roundsMax?: number;
  /** What all of its rounds share. */
  readonly prepare: (atEnd: AtEnd) => Promise<Round>;
}

/** Has so many do the same at once. */
export async function atOnce<T>(callers: number, act: (place: number) => Promise<T>): Promise<T[]> {
  // What took long to set up has let connections end: first it is heard that they have.
  await setImmediate();
  await setImmediate();
  return Promise.all(Array.from({ length: callers }, (_, place) => act(place)));
}

/** The last answer of each way to fare: whoever meets one that no rule names reads all of it. */
const lastTold = new Map<string, string>();

/** What an answer says of its caller. */
export function told({ status, headers, text, body }: Answer): string {
  const way = status < 400 ? String(status) : `${status} ${String(body['code'])}`;
  lastTold.set(way, `${way}, Retry-After ${headers.get('retry-after') ?? 'none'}: ${text}`);
  return way;
}

/** What a piece of work says of whoever did it: something or nothing, or a failure's code. */
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

/** So many fared exactly so; everybody else in one of these ways, and in no other. */
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

/** An address for each round: what is limited by address is limited for a person, not a campaign. */
export function newAddress(): { readonly 'x-forwarded-for': string } {
  lastAddress += 1;
  const part = (by: number): number => Math.floor(lastAddress / by) % 250;
  return { 'x-forwarded-for': `172.${16 + (process.pid % 16)}.${part(250)}.${1 + part(1)}` };
}

/**
 * Asks again while the platform says to come again later, as its callers are told to.
 * @param later how it says so: 429 as well where places are few, and free again in a moment
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
