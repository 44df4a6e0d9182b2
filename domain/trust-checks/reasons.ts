import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';

/** For each reason code of a check: what it means, then what to do. */
export const checkReasons: Readonly<Record<TrustCheckReason, string>> = {
  attestation_failed:
    'The phone was not believed, or was revoked during the check. The reason of its device proof ' +
    'says more; begin another check with a genuine phone.',
  consent_declined: 'The person refused to give what was asked for. Ask for less, or talk to them.',
  deadline:
    'Time ran out: nobody opened the link within 72 hours, or a check that was opened took ' +
    'longer than 24. Send the link again.',
  duplicate_subject:
    'Somebody else has passed a check of the account by the same document, and the policy of the ' +
    'link does not allow that. Find out which of them holds the document.',
  idle_timeout: 'Nothing was done for 30 minutes. Send the link again.',
  link_deleted: 'The link was deleted during the check. Make another link.',
  max_attempts_reached:
    'The code was mistyped or late as often as the link allows. Begin another check, and have ' +
    'the number looked at.',
  mismatch:
    'What the proofs say of the person is not what the link expected, where `matching` names the ' +
    'fields; or they tell of different persons, where `decision.rule` is `same_person`. ' +
    'Correct the link, or treat it as another person.',
  policy_denied:
    'The proofs passed, but not the policy of the link: `decision.rule` names the member of it. ' +
    'Change the policy or ask for more proofs.',
  proof_failed:
    'A proof failed for good, or could not be decided and the link asks for no review; its own ' +
    'reason says why. Where `decision.rule` is `unsure_matching`, the expected name could not be ' +
    'compared with the one of a proof; where it is `unsure_person`, nobody can tell whether two ' +
    'proofs are of one person. Begin another check.',
  provider_unavailable:
    'A proof could not be judged, since what it depends on did not answer; of a proof as of a ' +
    'check. A person decides it in review, or has it tried again.',
  requester_canceled: 'Whoever asked for the check canceled it; `cancel_reason` may say why.',
  review_rejected: 'A reviewer rejected the check; `reviews` has the note.',
  user_closed: 'The person canceled the check. Send the link again, or talk to them.',
};
