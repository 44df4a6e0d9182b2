import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** What the pages of failure codes say of a running check. */
export const checkAdvice = {
  already_begun: {
    when:
      'A single-use link has an open session, and this request does not prove that it ' +
      'continues it.',
    remedy:
      'Continue in the browser or on the phone that began: send its `resume_token`, or the ' +
      '`pair_token` of the page that waits. Otherwise ask for a new link, or have the account ' +
      'cancel the session.',
  },
  consent_required: {
    when: 'The request submits a proof or sends a code before the person has consented.',
    remedy: 'Show the terms and send the consent first.',
  },
  evidence_limit: {
    when: 'The session has the maximum number of evidence files.',
    remedy: 'Submit the proof with files that you uploaded before, or begin another check.',
  },
  evidence_unknown: {
    when: 'A proof names an `evidence_id` that this session does not have.',
    remedy: 'Upload the file to this session and use the `evidence_id` of that answer.',
  },
  invalid_state: {
    when: 'The object is in a state that does not allow the operation. `detail` names the state.',
    remedy: 'Read the object again and take a step that its state allows.',
  },
  pair_token_ended: {
    when: 'The pair token was used, is older than ten minutes, or a newer one replaced it.',
    remedy:
      'Show a new code on the device that runs the check (`trust-checks.pairToken`), and join ' +
      'with it.',
  },
  phone_refused: {
    when:
      'The number is not valid, not a mobile number, a premium or satellite number, or of a ' +
      'country without service.',
    remedy: 'Send a mobile number in E.164 form, such as +4915112345678.',
  },
  proof_not_expected: {
    when: 'The session does not request a proof of this type.',
    remedy: 'Submit only the proofs that the session lists.',
  },
  resend_too_soon: {
    when: 'A code was sent less than a minute ago.',
    remedy: 'Wait for `Retry-After`. Within five minutes, the service sends the same code again.',
  },
  review_not_offered: {
    when:
      'The submission has a `review_request`, but the `policy` of the link has no ' +
      '`review_on_unsure`.',
    remedy: 'Submit the proof, or create the link with `review_on_unsure` in its `policy`.',
  },
  sends_exhausted: {
    when: 'The session has sent the maximum number of messages of this kind.',
    remedy: 'Use the last message while it is valid, or begin another check.',
  },
  sms_rejected: {
    when:
      'The SMS provider refuses the number, or reported that a message did not arrive: not in ' +
      'use, a landline, blocked or unreachable. `msg` says which.',
    remedy: 'Use another number. If the phone was unreachable, you can try again.',
  },
  subject_may_not_review: {
    when: 'The reviewer is the person whom the check is about.',
    remedy: 'Ask another reviewer to decide.',
  },
  tos_changed: {
    when:
      'The consent names a version of the terms that is not current. `tos_version` is the ' +
      'current one.',
    remedy: 'Show the current terms and send the consent again with their version.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
