import type { Region } from './regions.ts';

/** A genuine submission and the judge that accepts it. */
export interface Genuine {
  readonly name: string;
  readonly parts: Parts;
  /** Files embedded in a part whose format is not ASN.1. */
  readonly inside?: Readonly<Record<string, readonly Uint8Array[]>>;
  /** Returns false for a region that no check covers; all regions are covered by default. */
  readonly isSigned?: (region: Region) => boolean;
  /** A time at which it was accepted. */
  readonly at: Date;
  readonly validities: readonly Validity[];
  readonly holds: (parts: Parts, at: Date) => boolean;
}

/** Files by name. */
export type Parts = Readonly<Record<string, Uint8Array>>;

/** The validity period of a link of the chain, and whether its ends are checked. */
export interface Validity {
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  readonly ends: 'both' | 'none';
}

/** A genuine vector with a part of another genuine vector. */
export interface Swap {
  readonly name: string;
  readonly of: Genuine;
  readonly parts: Parts;
}

export interface Family {
  readonly genuine: readonly Genuine[];
  readonly swaps: readonly Swap[];
}

/** Replaces one part by that of another vector; null when both are equal. */
export function swapped(of: Genuine, other: Genuine, part: string): Swap | null {
  const [own, foreign] = [of, other].map(({ parts }) => parts[part] ?? new Uint8Array());
  if (!own || !foreign || Buffer.compare(own, foreign) === 0) return null;
  const parts = { ...of.parts, [part]: foreign };
  return { name: `${of.name} with ${part} of ${other.name}`, of, parts };
}

/** Replaces every part of each vector by that of every other one. */
export const swappedOf = (genuine: readonly Genuine[]): Swap[] =>
  pairsOf(genuine).flatMap(([of, other]) =>
    Object.keys(of.parts).flatMap((part) => swapped(of, other, part) ?? []),
  );

/** Returns all ordered pairs. */
export const pairsOf = <T>(all: readonly T[]): [T, T][] =>
  all.flatMap((one) => all.filter((other) => other !== one).map((other): [T, T] => [one, other]));
