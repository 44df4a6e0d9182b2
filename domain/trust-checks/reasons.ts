import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';

/** For each reason code of a check: what it means, then what to do. */
export const checkReasons: Readonly<Record<TrustCheckReason, string>> = {
  attestation_failed:
    'The phone was not trusted, or was revoked during the check. Its device proof has ' +
    'the reason. Begin another check with a genuine phone.',
  consent_declined: 'The person refused the consent. Request less, or talk to them.',
  deadline:
    'Time ran out: nobody opened the link within 72 hours, or an opened check took ' +
    'longer than 24 hours. Send the link again.',
  duplicate_subject:
    'Another person has passed a check of the account with the same document, and the ' +
    'policy of the link does not allow this. Find out who holds the document.',
  idle_timeout: 'Nothing happened for 30 minutes. Send the link again.',
  link_deleted: 'The link was deleted during the check. Create another link.',
  max_attempts_reached:
    'The code was wrong or late as often as the link allows. Begin another check, and ' +
    'verify the number.',
  mismatch:
    'The proofs differ from the expected values of the link, and `matching` names them. ' +
    'Or the proofs are of different persons, and `decision.rule` is `same_person`. ' +
    'Correct the link, or treat the subject as another person.',
  policy_denied:
    'The proofs passed, but the policy of the link did not: `decision.rule` names its ' +
    'member. Change the policy or request more proofs.',
  proof_failed:
    'A proof failed finally, or was inconclusive and the link requests no review; the ' +
    'proof has the reason. If `decision.rule` is `unsure_matching`, the expected name ' +
    'could not be compared with that of a proof. If it is `unsure_person`, it is unknown ' +
    'whether two proofs are of one person. Begin another check.',
  provider_unavailable:
    'A proof could not be judged, because a service that it depends on did not respond. ' +
    'The code applies to a proof or a check. A reviewer decides, or lets the person try ' +
    'again.',
  requester_canceled: 'The requester canceled the check; `cancel_reason` may have the reason.',
  review_rejected: 'A reviewer rejected the check; `reviews` has the note.',
  user_closed: 'The person canceled the check. Send the link again, or talk to them.',
};
