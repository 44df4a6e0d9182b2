import type { AffidavitContent } from './content.ts';
import { proofName, reasonSentence } from './proof-words.ts';

/** What a sentence about a proof depends on. */
export type StatedProof = Pick<
  AffidavitContent['proofs'][0],
  'type' | 'status' | 'reason_code' | 'judgement' | 'provider' | 'facts'
>;

/**
 * How a proof ended, told apart by who decided:
 * - `passed`, `failed`: the program
 * - `accepted`, `rejected`: a reviewer, after the program could not decide
 * - `undecided`: nobody
 * - `not_checked`: the check ended without this proof
 * - `preset`: a test check with a preset result
 */
export type ProofResult =
  | 'passed'
  | 'failed'
  | 'accepted'
  | 'rejected'
  | 'undecided'
  | 'not_checked'
  | 'preset';

const presetProvider = 'sandbox';

/** The result of a proof, from its final state and from how its last attempt was judged. */
export function resultOf({ status, judgement, provider }: StatedProof): ProofResult {
  const isOver = ['passed', 'failed', 'in_review'].includes(status);
  if (!isOver) return 'not_checked';
  if (provider === presetProvider) return 'preset';
  if (status === 'passed') return judgement === 'passed' ? 'passed' : 'accepted';
  if (status === 'failed') return judgement === 'rejected' ? 'failed' : 'rejected';
  return 'undecided';
}

/**
 * What happened in a proof and what that does not show. Names only steps that took place, see
 * docs/decisions/161-affidavit-says-only-what-happened.md.
 */
export function describeProof(proof: StatedProof): string {
  const name = proofName(proof.type);
  const reason = proof.reason_code === null ? '' : ` ${reasonSentence(proof.reason_code)}`;
  const said: Readonly<Record<ProofResult, () => string>> = {
    passed: () => `${name}: ${passedWords(proof)}`,
    failed: () => `${name}: the check failed.${reason}${comparisonWords(proof)}`,
    accepted: () =>
      `${name}: a reviewer accepted this proof, because the service could not decide.` +
      `${reason}${comparisonWords(proof)}`,
    rejected: () =>
      `${name}: a reviewer rejected this proof, because the service could not decide.` +
      `${reason}${comparisonWords(proof)}`,
    undecided: () => `${name}: the service could not decide.${reason}${comparisonWords(proof)}`,
    not_checked: () =>
      `${name}: not checked.` +
      (proof.judgement === null
        ? ''
        : ' The person made an earlier attempt, which does not count.'),
    preset: () => `${name}: not checked. This is a test check with a preset result.`,
  };
  return said[resultOf(proof)]();
}

function passedWords(proof: StatedProof): string {
  const words = Object.hasOwn(passed, proof.type) ? passed[proof.type] : undefined;
  return words?.(proof) ?? 'the check passed.';
}

const passed: Readonly<Record<string, (proof: StatedProof) => string>> = {
  phone: () =>
    'the service sent a code by SMS to the number, and someone entered the same code. This ' +
    'shows that someone could read messages to the number at that time. It does not show who.',
  device: () =>
    'the service verified the attestation of the device. It shows that an unmodified app on a ' +
    'genuine device has the attested key. It does not show who held the device.',
  document: () =>
    'the service read photographs of a document. It found no contradiction in the data, and the ' +
    'document had not expired. The print and the barcode carry no signature. So this does not ' +
    'show that the document is genuine.',
  nfc_passport: ({ facts }) =>
    'the service received the data of the chip and verified the signature of the issuing State ' +
    'over it. ' +
    (facts['levels_active'] === 'ok' || facts['levels_chip'] === 'ok'
      ? 'The chip proved that it is not a copy. '
      : 'The chip did not prove that it is an original, so the data may be a copy. ') +
    'This does not show who held the document.',
  biometric: (proof) =>
    (proof.facts['judged_by'] === undefined
      ? 'the pictures of a camera show the movements that the service asked for. '
      : 'an outside provider judged that a live person was in front of a camera. ') +
    `${comparisonWords(proof).trim()} ` +
    (isCompared(proof) ? 'The result was a match. ' : '') +
    (proof.facts['judged_by'] === undefined
      ? 'No laboratory certified this check of the service. '
      : 'The service did not check the result of the provider. ') +
    'Such a check can be deceived, and it can mistake one person for another.',
};

/** Only a similarity on record shows that a face was compared. */
const isCompared = ({ facts }: StatedProof): boolean =>
  facts['similarity'] !== undefined || facts['similarity_percent'] !== undefined;

/** Says whether a face was compared. */
function comparisonWords({ type, facts }: StatedProof): string {
  if (type !== 'biometric') return '';
  if (facts['similarity'] !== undefined) {
    return ' The service compared the face with the portrait in the identity document.';
  }
  if (facts['similarity_percent'] !== undefined) {
    return ' An outside provider compared the face with the portrait in the identity document.';
  }
  return ' No comparison of the face with a portrait is on record.';
}

/** The reason of a proof, and the meaning of the numbers that its facts show. */
export function explainProof(proof: StatedProof): string[] {
  const result = resultOf(proof);
  if (result === 'not_checked' || result === 'preset') return [];
  const reason = proof.reason_code === null ? [] : [reasonSentence(proof.reason_code)];
  return proof.type === 'biometric' ? [...reason, ...numberWords(proof.facts)] : reason;
}

function numberWords(facts: StatedProof['facts']): string[] {
  const { similarity, liveness_score: liveness, confidence_percent: confidence } = facts;
  const { similarity_percent: percent, similarity_min, similarity_review_min } = facts;
  return [
    ...(similarity === undefined
      ? []
      : [
          'Similarity says how alike the face and the portrait are, from 0 to 1. It is not a ' +
            `probability. A match needs at least ${similarity_min}. From ` +
            `${similarity_review_min} to below ${similarity_min}, the service cannot decide. ` +
            `Below ${similarity_review_min}, the service reports a mismatch.`,
        ]),
    ...(liveness === undefined
      ? []
      : [
          'Liveness says how much the pictures look like a real person and not like a screen or ' +
            'paper, from 0 to 1. It is 0 if the pictures do not show the requested movements. ' +
            `A passed check needs at least ${facts['liveness_min']}.`,
        ]),
    ...(percent === undefined
      ? []
      : [
          'Similarity says how alike the face and the portrait are for the provider, in percent. ' +
            `A match needs at least ${facts['similarity_percent_min']}.`,
        ]),
    ...(confidence === undefined
      ? []
      : [
          'Confidence says how sure the provider is that a live person was there, in percent. ' +
            `A passed check needs at least ${facts['confidence_percent_min']}.`,
        ]),
  ];
}
