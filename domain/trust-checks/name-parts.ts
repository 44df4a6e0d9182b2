import type { Claims } from '../proofs/claims.ts';
import { namesMatch, namePartsMatch, shareNameWord } from './name-matching.ts';

interface NameParts {
  readonly surname: string;
  readonly given: string;
}

/**
 * The surname and the given names of a claimed name; null where the proof does not part them, or
 * has but one of them. Parts that another proof told are none of this name's.
 */
function partsOf({ full_name: whole, surname, given_names: given }: Claims): NameParts | null {
  if (!surname || !given || whole !== `${given} ${surname}`) return null;
  return { surname, given };
}

/**
 * Whether two proofs name one person. As wholes they have to agree; where both part the name, so
 * do its parts. Names that agree as wholes alone are divided differently: some documents do that
 * with one person's, so it accuses nobody.
 * @returns undefined where nobody can say
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
 * Whether a proof names whom somebody expects by one full name. It is held against the whole, and
 * has to have a word of each part: who is expected by given names alone may be anybody's namesake.
 * @returns undefined where nobody can say
 */
export function isExpectedName(expected: string, claims: Claims): boolean | undefined {
  const same = namesMatch(expected, claims.full_name ?? '');
  const parts = partsOf(claims);
  if (!same || !parts) return same;
  const tellsBoth = shareNameWord(expected, parts.surname) && shareNameWord(expected, parts.given);
  return tellsBoth || undefined;
}
