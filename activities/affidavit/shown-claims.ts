import { servedClaims } from '../../db/names.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { ReleasedClaims } from '../trust-checks/claims.ts';
import type { AffidavitContent } from './content.ts';

/** What an affidavit says of the claims of its subject. */
export function subjectClaims(
  released: ReleasedClaims,
  session: Pick<TrustCheckRow, 'asked' | 'consent'>,
): Omit<AffidavitContent['subject'], 'poly_user_id'> {
  const { requested_claims: requested } = session.asked;
  const isShown = session.consent?.accepted === true;
  const entries = isShown ? Object.entries(released) : [];
  const rows = entries.filter(([name]) => requested.includes(name));
  const claims = Object.fromEntries(rows.map(([name, value]) => [name, String(value)]));
  return { claims, absent_claims: absentClaims(claims, session) };
}

/** Every other claim that a link can ask for, with the first thing that was missing. */
function absentClaims(
  shown: Readonly<Record<string, string>>,
  { asked, consent }: Pick<TrustCheckRow, 'asked' | 'consent'>,
): AffidavitContent['subject']['absent_claims'] {
  const agreed = consent?.accepted ? consent.claims : [];
  const absent = servedClaims.filter((name) => !Object.hasOwn(shown, name));
  return Object.fromEntries(
    absent.map((name) => {
      if (!asked.requested_claims.includes(name)) return [name, 'not_requested'];
      return [name, agreed.includes(name) ? 'not_established' : 'not_consented'];
    }),
  );
}
