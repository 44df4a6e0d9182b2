import type { Claims } from '../proofs/claims.ts';
import { namesMatch, namePartsMatch, shareNameWord } from './name-matching.ts';

interface NameParts {
  readonly surname: string;
  readonly given: string;
}

/**
 * Returns the surname and the given names of a claimed name; null if the proof does not separate
 * them or has only one. Parts from another proof do not count.
 */
function partsOf({ full_name: whole, surname, given_names: given }: Claims): NameParts | null {
  if (!surname || !given || whole !== `${given} ${surname}`) return null;
  return { surname, given };
}

/**
 * Whether two proofs name the same person. The full names must agree; if both separate the name, so
 * must the parts. If only the full names agree, the result is undefined: some documents divide one
 * person's name differently.
 * @returns undefined if undecidable
 */
export function sameClaimedName(one: Claims, other: Claims): boolean | undefined {
  const same = namesMatch(one.full_name ?? '', other.full_name ?? '');
  const [parts, otherParts] = [partsOf(one), partsOf(other)];
  if (!same || !parts || !otherParts) return same;
  const agree =
    namePartsMatch(parts.surname, otherParts.surname) &&
    namePartsMatch(parts.given, otherParts.given);
  return agree || undefined;
}

/**
 * Whether a proof has the expected full name. The full name must agree, and share a word with each
 * part: given names alone could match many people.
 * @returns undefined if undecidable
 */
export function isExpectedName(expected: string, claims: Claims): boolean | undefined {
  const same = namesMatch(expected, claims.full_name ?? '');
  const parts = partsOf(claims);
  if (!same || !parts) return same;
  const sharesBoth = shareNameWord(expected, parts.surname) && shareNameWord(expected, parts.given);
  return sharesBoth || undefined;
}
