import type { Claims } from '../proofs/claims.ts';
import { isExpectedName } from './name-parts.ts';
import { namesMatch } from './name-matching.ts';

/** The requester's expectations about the person (the link's `matching_params`). */
export interface MatchingParams {
  full_name?: string;
  date_of_birth?: string;
  email?: string;
  phone_number?: string;
  issuing_country?: string;
  place_of_birth?: string;
  nationality?: string;
  region?: string;
  document_number?: string;
  expires_on?: string;
  custom?: Record<string, string>;
}

/** `unsure` if a proof states the field but the comparison is undecidable. */
export type Matching = Record<string, 'match' | 'mismatch' | 'not_checked' | 'unsure'>;

/** The form for callers: `unsure` becomes `not_checked`. */
export const reportedMatching = (matching: Matching) =>
  Object.fromEntries(
    Object.entries(matching).map(
      ([name, result]) => [name, result === 'unsure' ? 'not_checked' : result] as const,
    ),
  );

/**
 * Compares every expected value with the claims. Fields without a claim are `not_checked`; names
 * that cannot be compared are `unsure`.
 */
export function matchClaims(expected: MatchingParams, claims: Claims): Matching {
  const matching: Matching = {};
  const compare = (name: string, wanted: string | undefined, same: Same): void => {
    if (wanted === undefined) return;
    matching[name] = same === 'unsure' ? same : wordOf(same);
  };
  const ifClaimed = <T>(claim: string | undefined, test: (claim: string) => T): T | undefined =>
    claim === undefined ? undefined : test(claim);
  const { full_name, place_of_birth, document_number, email } = expected;
  compare(
    'full_name',
    full_name,
    ifClaimed(claims.full_name, () => isExpectedName(full_name ?? '', claims) ?? 'unsure'),
  );
  for (const name of exactly) {
    compare(
      name,
      expected[name],
      ifClaimed(claims[name], (claim) => claim === expected[name]?.toUpperCase()),
    );
  }
  compare(
    'document_number',
    document_number,
    ifClaimed(claims.document_number, (c) => lettersOf(c) === lettersOf(document_number ?? '')),
  );
  // Places have names in several languages: MUENCHEN and Munich are the same.
  compare(
    'place_of_birth',
    place_of_birth,
    ifClaimed(claims.place_of_birth, (c) => namesMatch(place_of_birth ?? '', c) || 'unsure'),
  );
  compare('email', email, undefined);
  for (const name of Object.keys(expected.custom ?? {})) matching[name] ??= 'not_checked';
  return matching;
}

/** Fields with a single spelling, which both the link and the proof use. */
const exactly = [
  'date_of_birth',
  'nationality',
  'region',
  'issuing_country',
  'expires_on',
  'phone_number',
] as const satisfies (keyof MatchingParams & keyof Claims)[];

/** People write a number with blanks and hyphens; a machine-readable zone has none. */
const lettersOf = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

type Same = boolean | 'unsure' | undefined;

const wordOf = (same: boolean | undefined) =>
  same === undefined ? 'not_checked' : same ? 'match' : 'mismatch';
