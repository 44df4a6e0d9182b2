import type { Claims } from './proof.ts';
import { isExpectedName } from './name-parts.ts';

/** What the requester expects of the person (the link's `matching_params`). */
export interface MatchingParams {
  full_name?: string;
  date_of_birth?: string;
  email?: string;
  phone_number?: string;
  issuing_country?: string;
  custom?: Record<string, string>;
}

/** `unsure` where a proof tells the field, and nobody can say whether it is what is expected. */
export type Matching = Record<string, 'match' | 'mismatch' | 'not_checked' | 'unsure'>;

/** As callers are told it: what could not be compared was not checked. */
export const toldMatching = (matching: Matching) =>
  Object.fromEntries(
    Object.entries(matching).map(
      ([name, result]) => [name, result === 'unsure' ? 'not_checked' : result] as const,
    ),
  );

/**
 * Holds every expected value against what the proofs yielded. Fields without a claim are
 * `not_checked`; names that cannot be compared are `unsure`.
 */
export function matchClaims(expected: MatchingParams, claims: Claims): Matching {
  const matching: Matching = {};
  const compare = (name: string, wanted: string | undefined, same: Same): void => {
    if (wanted === undefined) return;
    matching[name] = same === 'unsure' ? same : wordOf(same);
  };
  const known = <T>(claim: string | undefined, test: (claim: string) => T): T | undefined =>
    claim === undefined ? undefined : test(claim);
  const { full_name, date_of_birth, phone_number, issuing_country, email } = expected;
  compare(
    'full_name',
    full_name,
    known(claims.full_name, () => isExpectedName(full_name ?? '', claims) ?? 'unsure'),
  );
  compare(
    'date_of_birth',
    date_of_birth,
    known(claims.date_of_birth, (c) => c === date_of_birth),
  );
  compare(
    'phone_number',
    phone_number,
    known(claims.phone_number, (c) => c === phone_number),
  );
  compare(
    'issuing_country',
    issuing_country,
    known(claims.issuing_country, (claim) => claim === issuing_country?.toUpperCase()),
  );
  compare('email', email, undefined);
  for (const name of Object.keys(expected.custom ?? {})) matching[name] ??= 'not_checked';
  return matching;
}

type Same = boolean | 'unsure' | undefined;

const wordOf = (same: boolean | undefined) =>
  same === undefined ? 'not_checked' : same ? 'match' : 'mismatch';
