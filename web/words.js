// What the page of a check says of each state, step and proof.

/** Heading and explanation of a session's state. */
export function stateWords({ status, reason_code: reason }, { asker, app }) {
  const words = {
    created: ['Your phone is next', `Open this link there in ${app}, or scan the code with it.`],
    paired: ['Your phone is here', `Read there what ${asker} asks for, and agree or refuse.`],
    collecting: ['Follow the steps on your phone', 'Each result appears here as it comes.'],
    processing: ['Everything is in', 'The outcome takes a few seconds.'],
    requires_retry: ['Please try again on your phone', 'Not everything could be made out.'],
    in_review: [
      'A person is looking at it',
      `${asker} decides and tells you. You can close this page.`,
    ],
    passed: ['Passed', `You are done, and ${asker} has been told. You can close this page.`],
    failed: ['Not passed', failureWords(reason, asker)],
    declined: ['You refused', `Nothing was collected. ${asker} is told that you refused.`],
    expired: ['Time has run out', 'Nothing more is collected. You can begin again.'],
    abandoned: ['Closed after a long pause', 'Nothing more is collected. You can begin again.'],
    canceled: ['Canceled', cancelWords(reason, asker)],
  };
  return words[status] ?? words.created;
}

function failureWords(reason, asker) {
  const why = {
    attestation_failed: 'The phone could not show that it is genuine.',
    max_attempts_reached: 'The last attempt was not right either.',
    mismatch: `What was shown is not what ${asker} expects.`,
    policy_denied: `What was shown is right, but not enough for what ${asker} asks for.`,
    proof_failed: 'One of the proofs did not hold.',
    review_rejected: `A person at ${asker} looked at it and did not accept it.`,
  };
  return `${why[reason] ?? 'It could not be confirmed.'} ${asker} has been told; if you think it is a mistake, ask there.`;
}

function cancelWords(reason, asker) {
  if (reason === 'user_closed') return 'You ended it. Nothing more is collected.';
  return `${asker} ended it. Nothing more is collected.`;
}

const reasons = {
  aa_missing: 'the chip gave no answer',
  aa_signature_invalid: 'the chip is not the original',
  app_id_mismatch: 'another app',
  attempts_exhausted: 'no attempts are left',
  attest_missing: 'the phone did not sign',
  boot_unverified: 'the phone’s system has been changed',
  code_expired: 'the code is too old',
  code_not_sent: 'no code was sent',
  code_wrong: 'the code was wrong',
  csca_ambiguous: 'the issuer cannot be told',
  csca_not_trusted: 'the issuer is not known',
  device_not_paired: 'another phone',
  device_revoked: 'the phone was revoked',
  dg_hash_mismatch: 'the chip’s content has been changed',
  document_expired: 'the document has expired',
  evidence_missing: 'something is missing',
  malformed: 'it could not be read',
  root_untrusted: 'the phone is not genuine',
  software_key: 'the phone is not genuine',
  sod_signature_invalid: 'the chip’s signature does not hold',
};

/** What became of a proof, in a few words; empty while there is nothing to say. */
export function proofWords({ status, attempt, max_attempts: most, reason_code: reason }) {
  const why = reason ? `: ${reasons[reason] ?? reason.replaceAll('_', ' ')}` : '';
  const words = {
    ready: 'to do',
    collecting: 'begun',
    submitted: 'handed in',
    processing: 'being checked',
    passed: 'confirmed',
    failed: `not accepted${why}`,
    requires_retry: `try again${why} (${attempt} of ${most})`,
    in_review: 'a person is looking',
    not_applicable: 'not needed',
    skipped: 'not needed any more',
    expired: 'not done',
    canceled: 'not done',
  };
  return words[status] ?? '';
}

/** An event as a line of the history; null for one that is not told. */
export function eventWords({ type, data: { object } }, nameOf) {
  if (type === 'proof.updated') {
    const proof = object.proofs.find((candidate) => candidate.type === object.proof);
    const words = proofWords({ ...proof, status: object.proof_status });
    return words && `${nameOf(object.proof)}: ${words}`;
  }
  const words = {
    'trust_check.created': 'The check begins',
    'trust_check.opened': 'This page waits for your phone',
    'trust_check.paired': 'Your phone joins',
    'trust_check.consented': 'You agree',
    'trust_check.processing': 'Everything is in',
    'trust_check.requires_retry': 'Another try is needed',
    'trust_check.retried': 'Another try begins',
    'trust_check.in_review': 'A person looks at it',
    'trust_check.passed': 'Passed',
    'trust_check.failed': 'Not passed',
    'trust_check.declined': 'You refuse',
    'trust_check.abandoned': 'Closed after a long pause',
    'trust_check.expired': 'Time has run out',
    'trust_check.canceled': 'Canceled',
    'affidavit.available': 'The signed record is kept',
  };
  return words[type] ?? null;
}
