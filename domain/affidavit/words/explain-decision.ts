import type { TrustCheckReason } from '../../../workflows/trust-check/state.ts';
import { codeText } from '../../pdf/layout/labels.ts';
import { proofName, reasonSentence } from '../../proofs/proof-words.ts';
import type { AffidavitContent } from '../content.ts';
import { isPreset, resultName, resultOf, type StatedProof } from './proof-results.ts';

type Decision = Pick<AffidavitContent['decision'], 'outcome' | 'reason_code' | 'rule' | 'reviewed'>;
type Decided = Pick<AffidavitContent, 'matching'> & {
  readonly decision: Decision;
  readonly proofs: readonly StatedProof[];
};

/**
 * Explains for page 1 why a check ended as it did: the cause, each proof that the program did not
 * pass, and whether the results were preset. Empty if the rules passed the check.
 */
export function explainDecision({ decision, matching, proofs }: Decided): string[] {
  const causes = decision.reviewed ? reviewOf(decision, matching) : causeOf(decision, matching);
  return [
    ...causes,
    ...proofs.flatMap(explainResult),
    ...(proofs.some(isPreset) ? [presetWords] : []),
  ];
}

const presetWords =
  'The results were preset for a test check. The service did not check any of the proofs.';

/** Returns the reviewer's decision, and what the rules could not decide apart from the proofs. */
function reviewOf({ outcome, rule }: Decision, matching: Decided['matching']): string[] {
  const decided = outcome === 'passed' ? 'accepted' : 'rejected';
  const isOfProofs = rule === null || rule === 'unsure_proof';
  const doubt = isOfProofs || !Object.hasOwn(ruleWords, rule) ? undefined : ruleWords[rule];
  return [
    `A reviewer ${decided} the check, because the rules could not decide.`,
    ...(doubt ? [doubt(matching)] : []),
  ];
}

function causeOf(decision: Decision, matching: Decided['matching']): string[] {
  const { outcome, reason_code: code, rule } = decision;
  if (outcome === 'passed') return [];
  if (rule !== null && isByRule(decision)) {
    if (rule === 'failed_proof') return code === 'max_attempts_reached' ? [reasonWords[code]] : [];
    if (Object.hasOwn(ruleWords, rule)) {
      const words = ruleWords[rule]?.(matching);
      return words === undefined ? [] : [words];
    }
  }
  if (code === null || code === 'proof_failed') return [];
  const known: Readonly<Record<string, string>> = reasonWords;
  return [(Object.hasOwn(known, code) ? known[code] : undefined) ?? `Reason code: ${code}.`];
}

/** If a check ended during a review, its recorded rule is the one that required the review. */
const isByRule = ({ outcome, reason_code: code, rule }: Decision): boolean =>
  outcome === 'failed' &&
  (code !== 'attestation_failed' || rule === 'same_device' || rule === 'failed_proof');

/** Rules with a more specific explanation than the reason code. */
const ruleWords: Readonly<Record<string, (matching: Decided['matching']) => string>> = {
  allowed_countries: () => 'The requester does not accept documents of this country.',
  max_age_days: () => 'A proof is older than the requester allows.',
  min_level: () => 'The proofs do not reach the assurance level that the requester asks for.',
  same_device: () => 'A different device sent a proof.',
  same_person: () => 'The proofs name different persons.',
  unsure_person: () => 'It is not certain that all proofs are about the same person.',
  duplicates: () => reasonWords.duplicate_subject,
  unsure_proof: () =>
    'The rules could not decide each proof, and the link of the requester allows no review.',
  unsure_matching: () =>
    'It is not certain that the claims match the claims that the requester expected.',
  matching_params: (matching) => {
    const fields = Object.entries(matching).filter(([, result]) => result === 'mismatch');
    const names = fields.map(([name]) => codeText(name)).join(', ');
    if (names === '') return 'The result of the comparison with expected claims was preset.';
    const words = 'The claims do not match the claims that the requester expected.';
    return `${words} Different: ${names}.`;
  },
};

const reasonWords: Readonly<Record<TrustCheckReason, string>> = {
  attestation_failed:
    'The service did not accept the device, or someone revoked the device during the check.',
  consent_declined: 'The person did not consent.',
  deadline: 'The time for the check ran out.',
  duplicate_subject:
    'Another enrolled identity passed a check of this requester with the same document.',
  idle_timeout: 'The person did not continue for 30 minutes.',
  link_deleted: 'The requester deleted the link during the check.',
  max_attempts_reached: 'The person used all allowed attempts.',
  mismatch: 'The proofs do not match each other or the expected claims.',
  policy_denied: 'The check did not meet a rule of the requester.',
  proof_failed: 'A proof failed.',
  provider_unavailable: 'A provider that the check needs did not answer.',
  requester_canceled: 'The requester canceled the check.',
  review_rejected: 'A reviewer rejected the check.',
  user_closed: 'The person canceled the check.',
};

function explainResult(proof: StatedProof): string[] {
  const result = resultOf(proof);
  if (result === 'passed') return [];
  const isExplained = proof.reason_code !== null && result !== 'not_checked';
  const reason = isExplained ? ` ${reasonSentence(proof.reason_code ?? '')}` : '';
  return [`${proofName(proof.type)}: ${resultName(proof)}.${reason}`];
}
