import type { Region } from './regions.ts';

/** What somebody genuine handed in, and the judge that believes it. */
export interface Genuine {
  readonly name: string;
  readonly parts: Parts;
  /** Files that a part of another format than ASN.1 carries as they are. */
  readonly inside?: Readonly<Record<string, readonly Uint8Array[]>>;
  /** Where nothing is held against anything; all is signed otherwise. */
  readonly isSigned?: (region: Region) => boolean;
  /** When it was believed. */
  readonly at: Date;
  readonly validities: readonly Validity[];
  readonly holds: (parts: Parts, at: Date) => boolean;
}

/** Files by name. */
export type Parts = Readonly<Record<string, Uint8Array>>;

/** From when to when something of the chain is good, and whether its ends are judged. */
export interface Validity {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  readonly ends: 'both' | 'none';
}

/** A genuine thing with a part of another genuine one. */
export interface Swap {
  readonly name: string;
  readonly of: Genuine;
  readonly parts: Parts;
}

export interface Family {
  readonly genuine: readonly Genuine[];
  readonly swaps: readonly Swap[];
}

/** The parts of one with one of another; null where both have the same. */
export function swapped(of: Genuine, other: Genuine, part: string): Swap | null {
  const [own, foreign] = [of, other].map(({ parts }) => parts[part] ?? new Uint8Array());
  if (!own || !foreign || Buffer.compare(own, foreign) === 0) return null;
  const parts = { ...of.parts, [part]: foreign };
  return { name: `${of.name} with ${part} of ${other.name}`, of, parts };
}

/** Every part of each, in the place of each other's. */
export const swappedOf = (genuine: readonly Genuine[]): Swap[] =>
  pairsOf(genuine).flatMap(([of, other]) =>
    Object.keys(of.parts).flatMap((part) => swapped(of, other, part) ?? []),
  );

/** Each of them with each other. */
export const pairsOf = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one) => all.filter((other) => other !== one).map((other): [T, T] => [one, other]));
