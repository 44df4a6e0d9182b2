import { flipped } from '../../support/fixtures/passports/fixtures.ts';
import { seeded } from '../../support/fixtures/seeded.ts';
import type { Genuine, Swap, Validity } from './genuine.ts';
import { regionsOf, type Region } from './regions.ts';

/** The number of attacks on one genuine vector, and the wrongly accepted or rejected ones. */
export interface Attacked {
  readonly tried: number;
  readonly wrong: readonly string[];
}

/** How many octets and lengths of each part to try: a sample of each kind, or at most this many. */
export type Extent = { readonly kinds: number } | { readonly triesMax: number };

const second = 1_000;

/** Flips a bit of each kind of octet, cuts each part, and sets the clock to each limit. */
export function attack(genuine: Genuine, extent: Extent, seed: number): Attacked {
  const random = seeded(seed);
  const wrong: string[] = [];
  let tried = 0;
  const told = (how: string, isBelieved: boolean, expected = false): void => {
    tried += 1;
    if (isBelieved !== expected) wrong.push(`${genuine.name}: ${how}`);
  };
  told('as it is', genuine.holds(genuine.parts, genuine.at), true);
  for (const [name, file] of Object.entries(genuine.parts)) {
    const holds = (changed: Uint8Array): boolean =>
      genuine.holds({ ...genuine.parts, [name]: changed }, genuine.at);
    const regions = regionsOf(file, genuine.inside?.[name]);
    const signed = regions.filter(genuine.isSigned ?? (() => true));
    for (const [kind, bit] of bitsOf(signed, extent, random)) {
      told(`${name}, bit ${bit} of ${kind}`, holds(flipped(file, bit)));
    }
    for (const length of lengthsOf(file, regions, extent, random)) {
      told(`${name}, the first ${length} octets`, holds(file.subarray(0, length)));
    }
  }
  for (const [name, at] of edgesOf(genuine.validities)) {
    told(name, genuine.holds(genuine.parts, at), isInForce(genuine.validities, at));
  }
  return { tried, wrong };
}

/** Returns the swaps that are wrongly accepted. */
export const believedOf = (swaps: readonly Swap[]): string[] =>
  swaps.filter(({ of, parts }) => of.holds(parts, of.at)).map(({ name }) => name);

function bitsOf(
  regions: readonly Region[],
  extent: Extent,
  random: () => number,
): [string, number][] {
  const bitIn = ({ kind, start, end }: Region): [string, number] => [
    kind,
    start * 8 + Math.floor(random() * (end - start) * 8),
  ];
  if ('kinds' in extent) {
    const byKind = [...Map.groupBy(regions, ({ kind }) => kind).values()];
    return sample(byKind, extent.kinds, random).flatMap((alike) =>
      sample(alike, 1, random).map(bitIn),
    );
  }
  const octets = regions.flatMap(({ kind, start, end }) =>
    Array.from({ length: end - start }, (_, index) => ({
      kind,
      start: start + index,
      end: start + index + 1,
    })),
  );
  return strided(octets.length, extent.triesMax).flatMap((index) =>
    octets.slice(index, index + 1).map(bitIn),
  );
}

/** Returns lengths to cut at: 0, all but one octet, and the start, middle and end of regions. */
function lengthsOf(
  file: Uint8Array,
  regions: readonly Region[],
  extent: Extent,
  random: () => number,
): number[] {
  if ('triesMax' in extent) return strided(file.length, extent.triesMax);
  const all = regions.flatMap(({ start, end }) => [start, Math.floor((start + end) / 2), end]);
  const inside = [...new Set(all)].filter((length) => length < file.length);
  return [...new Set([0, file.length - 1, ...sample(inside, extent.kinds, random)])];
}

function edgesOf(validities: readonly Validity[]): [string, Date][] {
  return validities.flatMap(({ name, from, to }): [string, Date][] => [
    [`before the begin of ${name}`, new Date(from.getTime() - second)],
    [`at the begin of ${name}`, from],
    [`at the end of ${name}`, to],
    [`after the end of ${name}`, new Date(to.getTime() + second)],
  ]);
}

const isInForce = (validities: readonly Validity[], at: Date): boolean =>
  validities.every(({ from, to, ends }) => ends === 'none' || (from <= at && at <= to));

/** Draws `count` elements without repeats. */
function sample<T>(all: readonly T[], count: number, random: () => number): T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

/** Returns the numbers below `end`, at most `max` of them at even distances. */
const strided = (end: number, max: number): number[] => {
  const count = Math.min(end, max);
  return Array.from({ length: count }, (_, index) => Math.floor((index * end) / count));
};
