import type { TrustCheckReason } from '../../workflows/trust-check/state.ts';
import type { AffidavitContent } from './content.ts';
import { codeText } from './labels.ts';
import { proofName, reasonSentence } from './proof-words.ts';
import { resultOf, type ProofResult, type StatedProof } from './proof-results.ts';

type Decided = Pick<AffidavitContent, 'matching'> & {
  readonly decision: Pick<AffidavitContent['decision'], 'outcome' | 'reason_code' | 'rule'>;
  readonly proofs: readonly StatedProof[];
};

/** Why a check did not pass, and which proof was the cause, for page 1. Empty when it passed. */
export function explainDecision({ decision, matching, proofs }: Decided): string[] {
  if (decision.outcome === 'passed') return [];
  return [...causeOf(decision, matching), ...proofs.flatMap(explainResult)];
}

function causeOf({ reason_code: code, rule }: Decided['decision'], matching: Decided['matching']) {
  const byRule = rule !== null && Object.hasOwn(ruleWords, rule) ? ruleWords[rule] : undefined;
  if (byRule) return [byRule(matching)];
  if (code === null || code === 'proof_failed') return [];
  const known: Readonly<Record<string, string>> = reasonWords;
  return [(Object.hasOwn(known, code) ? known[code] : undefined) ?? `Reason code: ${code}.`];
}

/** Rules whose name says more than the reason code does. */
const ruleWords: Readonly<Record<string, (matching: Decided['matching']) => string>> = {
  allowed_countries: () => 'The requester does not accept documents of this country.',
  max_age_days: () => 'A proof is older than the requester allows.',
  min_level: () => 'The proofs do not reach the assurance level that the requester asks for.',
  same_device: () => 'A different device sent a proof.',
  same_person: () => 'The proofs name different persons.',
  unsure_person: () => 'It is not certain that all proofs are about the same person.',
  unsure_matching: () =>
    'It is not certain that the claims match the claims that the requester expected.',
  matching_params: (matching) => {
    const fields = Object.entries(matching).filter(([, result]) => result === 'mismatch');
    const names = fields.map(([name]) => codeText(name)).join(', ');
    const which = names === '' ? '' : ` Different: ${names}.`;
    return `The claims do not match the claims that the requester expected.${which}`;
  },
};

const reasonWords: Readonly<Record<TrustCheckReason, string>> = {
  attestation_failed:
    'The service did not accept the device, or someone revoked the device during the check.',
  consent_declined: 'The person did not consent.',
  deadline: 'The time for the check ran out.',
  duplicate_subject: 'Another person passed a check of this requester with the same document.',
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

const resultWords: Readonly<Partial<Record<ProofResult, string>>> = {
  failed: 'failed',
  rejected: 'rejected by a reviewer',
  undecided: 'not decided',
  not_checked: 'not checked',
};

function explainResult(proof: StatedProof): string[] {
  const result = resultOf(proof);
  const words = resultWords[result];
  if (words === undefined) return [];
  const isExplained = proof.reason_code !== null && result !== 'not_checked';
  const reason = isExplained ? ` ${reasonSentence(proof.reason_code ?? '')}` : '';
  return [`${proofName(proof.type)}: ${words}.${reason}`];
}
