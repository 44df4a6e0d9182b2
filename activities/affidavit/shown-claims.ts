import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { AffidavitContent } from '../../domain/affidavit/content.ts';
import { claimNames } from '../../domain/names.ts';
import type { ReleasedClaims } from '../../domain/proofs/claims.ts';

type Subject = AffidavitContent['subject'];

/**
 * Returns the claims section of the subject in an affidavit.
 * @param photo the image of the claim `photo`; null where it is not, or no longer, released
 */
export function subjectClaims(
  { photo: _address, ...released }: ReleasedClaims,
  session: Pick<TrustCheckRow, 'asked' | 'consent'>,
  photo: Subject['photo'],
): Omit<Subject, 'poly_user_id'> {
  const { requested_claims: requested } = session.asked;
  const isShown = session.consent?.accepted === true;
  const entries = isShown ? Object.entries(released) : [];
  const rows = entries.filter(([name]) => requested.includes(name));
  const claims = Object.fromEntries(rows.map(([name, value]) => [name, String(value)]));
  const shown = photo ? [...Object.keys(claims), 'photo'] : Object.keys(claims);
  return { claims, photo, absent_claims: absentClaims(shown, session) };
}

/** Returns all other claims that a link can request, each with the first missing condition. */
function absentClaims(
  shown: readonly string[],
  { asked, consent }: Pick<TrustCheckRow, 'asked' | 'consent'>,
): Subject['absent_claims'] {
  const agreed = consent?.accepted ? consent.claims : [];
  const absent = claimNames.filter((name) => !shown.includes(name));
  return Object.fromEntries(
    absent.map((name) => {
      if (!asked.requested_claims.includes(name)) return [name, 'not_requested'];
      return [name, agreed.includes(name) ? 'not_established' : 'not_consented'];
    }),
  );
}
