import {
  findParticipant,
  findPerson,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { MeetingStep } from '../../workflows/meeting/messages.ts';
import { isTrustCheckFinal } from '../../workflows/trust-check/state.ts';
import type { MeetingRecord } from './record.ts';

type Verification = Pick<ParticipantRow, 'verification' | 'attestation'>;

/**
 * Updates a participant's verification from a trust check on the meeting's own link. Ignores checks
 * on other links.
 */
export async function verify(
  { tx, meeting, tell }: MeetingRecord,
  step: Extract<MeetingStep, { kind: 'verify' }>,
): Promise<void> {
  const { meeting_key, link_uuid } = meeting();
  const [participant, check] = await Promise.all([
    findParticipant(tx, meeting_key, step.participant_id),
    findTrustCheck(tx, step.link_session_id),
  ]);
  if (!participant || check?.link_uuid !== link_uuid) return;
  const result = verificationOf(check);
  const isKnown =
    participant.verification === result.verification &&
    participant.link_session_id === check.link_session_id;
  if (isKnown) return;
  const person = check.poly_user_id ?? participant.poly_user_id;
  const other = person ? await findPerson(tx, meeting_key, person) : null;
  await tell(
    'meeting.participant_status',
    {
      ...participant,
      ...result,
      link_session_id: check.link_session_id,
      // A person who is in the meeting as another participant stays one person.
      poly_user_id:
        other && other.participant_id !== participant.participant_id
          ? participant.poly_user_id
          : person,
    },
    participant.verification,
  );
}

/**
 * Returns the verification that a check gives in a meeting. A person who only came
 * through the link has level C, since nothing binds their device to the call.
 */
export function verificationOf(
  check: Pick<TrustCheckRow, 'status' | 'outcome_validity'>,
): Verification {
  const { status, outcome_validity } = check;
  if (status === 'passed') {
    if (outcome_validity === 'valid') return { verification: 'verified', attestation: 'C' };
    if (outcome_validity === 'reverify_due') return { verification: 'stale', attestation: 'C' };
    return { verification: 'failed', attestation: null };
  }
  if (status === 'failed' || status === 'declined') {
    return { verification: 'failed', attestation: null };
  }
  const isOver = isTrustCheckFinal(status);
  return { verification: isOver ? 'unverified' : 'pending', attestation: null };
}
