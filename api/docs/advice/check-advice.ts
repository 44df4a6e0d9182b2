import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** What the pages of failure codes say of a running check. */
export const checkAdvice = {
  already_begun: {
    when: 'A single-use link has an open session, and this begin shows no right to go on with it.',
    remedy:
      'Go on in the browser or on the phone where it was begun: send its `resume_token`, or the ' +
      '`pair_token` of the page that waits. Otherwise ask for a new link, or have the account ' +
      'cancel the session.',
  },
  consent_required: {
    when: 'A proof or a code is asked for before the person has consented.',
    remedy: 'Show the terms and send the consent first.',
  },
  evidence_limit: {
    when: 'The session holds as many files of evidence as it may.',
    remedy: 'Submit the proof with files that were uploaded before, or begin another check.',
  },
  evidence_unknown: {
    when: 'A proof names an evidence_id that this session does not hold.',
    remedy: 'Upload the file to this session and use the evidence_id of that answer.',
  },
  invalid_state: {
    when:
      'The thing exists, but is in a state in which this is not possible; detail names the ' +
      'state.',
    remedy: 'Read it again and take the step that its state allows.',
  },
  pair_token_ended: {
    when: 'The pair token was used before, is older than ten minutes, or a newer one replaced it.',
    remedy:
      'Have the device that runs the check show a new code (`trust-checks.pairToken`), and join ' +
      'by that.',
  },
  phone_refused: {
    when: 'It is not valid, no mobile one, premium, of a satellite, or of a country not served.',
    remedy: 'Give a mobile number in E.164 form, such as +4915112345678.',
  },
  proof_not_expected: {
    when: 'The session does not ask for a proof of this type.',
    remedy: 'Submit only the proofs that the session lists.',
  },
  resend_too_soon: {
    when: 'A code was sent less than a minute ago.',
    remedy: 'Wait for Retry-After. Sent again within five minutes the code is the same.',
  },
  review_not_offered: {
    when:
      'The submission has a `review_request`, but the `policy` of the link has no ' +
      '`review_on_unsure`.',
    remedy: 'Submit the proof, or make the link with `review_on_unsure` in its `policy`.',
  },
  sends_exhausted: {
    when: 'The session has sent as many messages of this kind as it may.',
    remedy: 'Use the last message while it lives, or begin another check.',
  },
  sms_rejected: {
    when:
      'The SMS provider refuses the number, or has reported that a message did not reach it: not ' +
      'in use, a landline, blocked, out of reach. `msg` says which.',
    remedy: 'Give another number; a phone that was out of reach may be tried again.',
  },
  subject_may_not_review: {
    when: 'The reviewer is the person whom the check is about.',
    remedy: 'Let another reviewer decide.',
  },
  tos_changed: {
    when: 'Consent names terms that are no longer current; tos_version is the current one.',
    remedy: 'Show the current terms and send the consent again with their version.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
