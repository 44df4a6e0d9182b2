import { proofName, reasonSentence } from '../../proofs/proof-words.ts';
import { reviewRequested } from '../../../workflows/proofs.ts';
import type { CaptureSignal } from '../../names.ts';
import type { AffidavitContent } from '../content.ts';

/** The members of a proof that its sentences depend on. */
export type StatedProof = Pick<
  AffidavitContent['proofs'][0],
  | 'type'
  | 'status'
  | 'reason_code'
  | 'judgement'
  | 'provider'
  | 'capture'
  | 'capture_signals'
  | 'checks'
  | 'facts'
>;

/**
 * How a proof ended, and who decided:
 * - `passed`, `failed`: the program
 * - `accepted`, `rejected`: a reviewer, after the program could not decide
 * - `undecided`: neither
 * - `not_checked`: the check ended without this proof
 */
export type ProofResult =
  | 'passed'
  | 'failed'
  | 'accepted'
  | 'rejected'
  | 'undecided'
  | 'not_checked';

/** Returns the result of a proof, from its final state and the judgment of its last attempt. */
export function resultOf({ status, judgement }: StatedProof): ProofResult {
  const isOver = ['passed', 'failed', 'in_review'].includes(status);
  if (!isOver) return 'not_checked';
  if (status === 'passed') return judgement === 'passed' ? 'passed' : 'accepted';
  if (status === 'failed') return judgement === 'rejected' ? 'failed' : 'rejected';
  return 'undecided';
}

const resultWords: Readonly<Record<ProofResult, string>> = {
  passed: 'passed',
  failed: 'failed',
  accepted: 'accepted by the reviewer',
  rejected: 'not accepted by the reviewer',
  undecided: 'not decided',
  not_checked: 'not checked',
};

/** Returns the name of a proof's result, the same on every page. */
export const resultName = (proof: StatedProof): string => resultWords[resultOf(proof)];

/** Whether the result was preset for a test, so that the service checked nothing. */
export const isPreset = (proof: StatedProof): boolean =>
  proof.provider === 'sandbox' && resultOf(proof) !== 'not_checked';

export type StepResult = 'ok' | 'failed' | 'undecided' | 'none';

/** Steps that ran and could not decide, by the reason code that they produce. */
const undecidedSteps: ReadonlyMap<string | null, string> = new Map([
  ['face_unsure', 'match'],
  ['front_back_mismatch', 'cross_check'],
]);

/**
 * Returns the result of a step. A verdict records `skipped` both for a step that did not run and
 * for one that could not decide; the reason code of the proof distinguishes them.
 */
export function stepResult({ checks, reason_code }: StatedProof, step: string): StepResult {
  const result = checks.find(({ name }) => name === step)?.result;
  if (result === 'ok' || result === 'failed') return result;
  const isUndecided = result === 'skipped' && undecidedSteps.get(reason_code) === step;
  return isUndecided ? 'undecided' : 'none';
}

/** The step that each fact belongs to, as a result or a threshold. */
const stepOfFact: Readonly<Record<string, string>> = {
  similarity: 'match',
  similarity_min: 'match',
  similarity_review_min: 'match',
  similarity_percent: 'match',
  similarity_percent_min: 'match',
  liveness_score: 'liveness',
  liveness_min: 'liveness',
  confidence_percent: 'liveness',
  confidence_percent_min: 'liveness',
};

/** Returns the facts of a proof without those of steps that have no result. */
export function statedFacts(proof: StatedProof): StatedProof['facts'] {
  const rows = Object.entries(proof.facts).filter(([name]) => {
    const step = Object.hasOwn(stepOfFact, name) ? stepOfFact[name] : undefined;
    return step === undefined || stepResult(proof, step) !== 'none';
  });
  return Object.fromEntries(rows);
}

/**
 * Describes what happened in a proof and what that does not show. Names only steps that took place,
 * see docs/decisions/012-affidavit.md.
 */
export function describeProof(proof: StatedProof): string {
  const start = `${proofName(proof.type)}: `;
  if (isPreset(proof)) return `${start}${resultName(proof)}. ${presetWords}`;
  const reason = proof.reason_code === null ? '' : ` ${reasonSentence(proof.reason_code)}`;
  const rest = `${reason}${comparisonWords(proof)}`;
  const sentences: Readonly<Record<ProofResult, () => string>> = {
    passed: () => passedWords(proof),
    failed: () => `failed.${rest}`,
    accepted: () => `accepted by the reviewer, because ${undecidedWords(proof)}.${rest}`,
    rejected: () => `not accepted by the reviewer. The service could not decide.${rest}`,
    undecided: () => `not decided.${rest}`,
    not_checked: () => `not checked.${proof.judgement === null ? '' : ` ${earlierWords}`}`,
  };
  if (proof.reason_code === reviewRequested) return `${start}${resultName(proof)}.${reason}`;
  return `${start}${sentences[resultOf(proof)]()}${browserWords(proof)}`;
}

/** Returns why a proof was left to a reviewer. */
const undecidedWords = ({ reason_code }: StatedProof): string =>
  reason_code === 'camera_suspect'
    ? 'the browser reported signals about its camera'
    : 'the service could not decide';

const captured = new Set(['document', 'biometric']);

/** Returns what pictures from a browser cannot prove. */
function browserWords(proof: StatedProof): string {
  const isSeen = captured.has(proof.type) && resultOf(proof) !== 'not_checked';
  if (proof.capture !== 'browser' || !isSeen) return '';
  return (
    ' A browser took the pictures. A browser cannot prove that they come from a camera, or that ' +
    'a device took them unchanged.' +
    signalWords(proof)
  );
}

const signalNames: Readonly<Record<CaptureSignal, string>> = {
  automated: 'a program controls it',
  virtual_camera: 'its camera has the name of a program',
  repeated_frames: 'its camera repeats pictures',
};

function signalWords({ capture_signals: signals = [] }: StatedProof): string {
  if (signals.length === 0) return '';
  return ` This browser reported: ${signals.map((signal) => signalNames[signal]).join('; ')}.`;
}

const presetWords =
  'This result was preset for a test check. The service did not check this proof.';
const earlierWords = 'The person made an earlier attempt, which does not count.';

function passedWords(proof: StatedProof): string {
  const words = Object.hasOwn(passed, proof.type) ? passed[proof.type] : undefined;
  return words?.(proof) ?? 'the check passed.';
}

const passed: Readonly<Record<string, (proof: StatedProof) => string>> = {
  phone: () =>
    'the service sent a code by SMS to the number, and someone entered the same code. This ' +
    'shows that someone could read messages to the number at that time. It does not show who.',
  device: (proof) => `${deviceWords(proof)} It does not show who held the device.`,
  document: (proof) =>
    'the service read photographs of a document. ' +
    (stepResult(proof, 'cross_check') === 'ok'
      ? 'It found no contradiction in the data. '
      : 'It could not compare the data with a second place on the document. ') +
    (stepResult(proof, 'expiry') === 'ok' ? 'The document had not expired. ' : '') +
    'The print and the barcode carry no signature. So this does not show that the document is ' +
    'genuine.',
  nfc_passport: (proof) =>
    'the service received the data of the chip' +
    (stepResult(proof, 'sod_signature') === 'ok' && stepResult(proof, 'csca_trusted') === 'ok'
      ? ' and verified the signature of the issuing State over it. '
      : '. ') +
    (stepResult(proof, 'active_auth') === 'ok' || stepResult(proof, 'chip_auth') === 'ok'
      ? 'The chip gave a valid proof that it is an original. '
      : 'No valid proof shows that the chip is an original, so the data may be a copy. ') +
    'This does not show who held the document.',
  biometric: (proof) =>
    `${livenessWords(proof)}${comparisonWords(proof)} ` +
    (stepResult(proof, 'match') === 'ok' ? 'The result was a match. ' : '') +
    (isOfProvider(proof)
      ? 'The service did not check the result of the provider. '
      : 'No laboratory certified this check of the service. ') +
    'Such a check can be deceived, and it can mistake one person for another.',
};

/** Names app and device only if their steps passed. */
function deviceWords(proof: StatedProof): string {
  const isOk = (...steps: string[]) => steps.some((step) => stepResult(proof, step) === 'ok');
  const shown = isOk('chain') ? 'It shows that a genuine device has the attested key.' : '';
  const app = isOk('app_id', 'application_id')
    ? ' The attestation names the app that the service expects.'
    : '';
  return `the service verified the attestation of the device. ${shown}${app}`.trim();
}

/** Only verdicts on a provider's claim have the step `claim`. */
const isOfProvider = ({ checks }: StatedProof): boolean =>
  checks.some(({ name }) => name === 'claim');

function livenessWords(proof: StatedProof): string {
  if (stepResult(proof, 'liveness') !== 'ok') {
    return 'the service has no result of a check for a live person.';
  }
  return isOfProvider(proof)
    ? 'an outside provider judged that a live person was in front of a camera.'
    : 'the pictures of a camera show the movements that the service asked for.';
}

/** Returns whether a face was compared, by the result of the step `match`. */
function comparisonWords(proof: StatedProof): string {
  if (proof.type !== 'biometric') return '';
  if (!isCompared(proof)) return ' A comparison of the face with a portrait has no result.';
  const who = isOfProvider(proof) ? 'An outside provider' : 'The service';
  return ` ${who} compared the face with the portrait in the identity document.`;
}

/** If no picture could be compared, the step fails without a similarity. */
function isCompared(proof: StatedProof): boolean {
  const result = stepResult(proof, 'match');
  if (result !== 'failed') return result !== 'none';
  const { similarity, similarity_percent: percent } = proof.facts;
  return similarity !== undefined || percent !== undefined;
}

/** Returns the reason of a proof, and the meaning of the numbers in its facts (`statedFacts`). */
export function explainProof(proof: StatedProof): string[] {
  const reason = proof.reason_code === null ? [] : [reasonSentence(proof.reason_code)];
  const result = resultOf(proof);
  if (result === 'not_checked') return proof.judgement === null ? [] : [earlierWords, ...reason];
  if (isPreset(proof)) return [...reason, presetWords];
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
