import type { Claims } from './proof.ts';

/** What the requester expects of the person (the link's `matching_params`). */
export interface MatchingParams {
  full_name?: string;
  date_of_birth?: string;
  email?: string;
  phone_number?: string;
  issuing_country?: string;
  custom?: Record<string, string>;
}

export type Matching = Record<string, 'match' | 'mismatch' | 'not_checked'>;

/**
 * Holds every expected value against what the proofs yielded. Fields without a claim are
 * `not_checked`.
 */
export function matchClaims(expected: MatchingParams, claims: Claims): Matching {
  const matching: Matching = {};
  const compare = (name: string, wanted: string | undefined, same: boolean | undefined): void => {
    if (wanted === undefined) return;
    matching[name] = same === undefined ? 'not_checked' : same ? 'match' : 'mismatch';
  };
  const known = <T>(claim: string | undefined, test: (claim: string) => T): T | undefined =>
    claim === undefined ? undefined : test(claim);
  const { full_name, date_of_birth, phone_number, issuing_country, email } = expected;
  compare(
    'full_name',
    full_name,
    known(claims.full_name, (claim) => sameName(full_name ?? '', claim)),
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
  for (const name of Object.keys(expected.custom ?? {})) matching[name] = 'not_checked';
  return matching;
}

/**
 * Names agree when every word of the shorter one stands in the longer one, in any order, after
 * accents, case and punctuation are set aside: a passport's MRZ (ICAO 9303-3 §6) writes ANNA MARIA
 * ERIKSSON for Anna-María Eriksson and drops names that do not fit its line.
 */
export function sameName(one: string, other: string): boolean {
  const [shorter, longer] = [words(one), words(other)].sort((a, b) => a.length - b.length);
  if (!shorter || !longer || shorter.length < 2)
    return words(one).join(' ') === words(other).join(' ');
  const left = [...longer];
  return shorter.every((word) => {
    const index = left.indexOf(word);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function words(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
