import { createHash } from 'node:crypto';
import { findApp } from '../../db/queries/credentials.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { consentUpdate } from '../../workflows/trust-check/messages.ts';
import { change, assertLegalStep, type ChangeDeps } from './change.ts';
import { assertNotEnded } from './find.ts';

export interface ConsentAnswer {
  readonly accepted: boolean;
  readonly tos_version: string;
  readonly claims: readonly string[];
}

/**
 * Records consent to the current terms, and which of the requested claims may be released. No proof
 * is captured before consent.
 * @throws Failure `tos_changed` with the current version, `invalid_state` after a different answer
 */
export async function giveConsent(
  deps: ChangeDeps,
  session: TrustCheckRow,
  { accepted, tos_version, claims }: ConsentAnswer,
): Promise<TrustCheckRow> {
  const id = session.link_session_id;
  const asked = session.asked.requested_claims;
  const given = { accepted, tos_version, claims: claims.filter((name) => asked.includes(name)) };
  const answer = spell(given);
  // A repeated refusal after a lost response: this same answer has ended the check.
  if (session.status === 'declined' && isConsentGiven(session, answer)) return session;
  assertNotEnded(session);
  const app = await findApp(deps.db, session.app_id);
  if (!app) throw new Failure('not_found');
  if (accepted && tos_version !== app.tos_version) {
    throw new Failure('tos_changed', { extra: { tos_version: app.tos_version } });
  }
  // The id has a digest of the answer: the same answer in any order is the same step, a different
  // answer is another step.
  const digest = createHash('sha256').update(answer).digest('base64url');
  const updateId = `consent/${id}/${digest}`;
  assertLegalStep(session, updateId, { kind: 'consent', ...given });
  return change(deps, id, consentUpdate, [given], updateId);
}

/** Whether this same answer is recorded. */
const isConsentGiven = ({ consent: given }: TrustCheckRow, answer: string): boolean =>
  given !== null && spell(given) === answer;

const spell = ({ accepted, tos_version, claims }: ConsentAnswer): string =>
  JSON.stringify([accepted, tos_version, claims.toSorted()]);
