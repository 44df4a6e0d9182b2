import type { Tx } from '../../db/client.ts';
import { takeProofChallenge } from '../../db/queries/evidence.ts';
import {
  findSubmission,
  lockSubmission,
  writeJudgement,
  type JudgedAlready,
  type ProofSubmissionRow,
} from '../../db/queries/proofs.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import { evidenceHashOf, nameImages } from '../../domain/evidence/binding.ts';
import type { CaptureSignal } from '../../domain/names.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import { verdictHashOf, type Verdict } from '../../domain/proofs/verdict.ts';
import { captureOf, captureSignalsIn } from '../../domain/trust-checks/capture.ts';
import { servedProofs, type ProofType } from '../../workflows/proofs.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';
import { hasTaken, refusalOf, type StepAnswer } from '../../workflows/trust-check/steps.ts';
import { sealEvidence } from '../proofs/evidence/evidence-repository.ts';
import { openInput } from '../proofs/submission-input.ts';
import type {
  LongProofJudge,
  PreparedProofJudge,
  ProofJudge,
  ProofResult,
} from '../proofs/judge.ts';
import type { TrustCheckActivityDeps } from './activities.ts';
import { openExpected } from './decide-check.ts';
import { createSandboxJudge, subjectOf } from './sandbox-outcomes.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { sessionOf } from './step-row.ts';
import { answerOf, changeCheck, takeStep } from './take-step.ts';

export interface JudgeProofInput {
  readonly link_session_id: string;
  readonly submission_id: string;
  readonly proof: ProofType;
}

/**
 * Judges a submission once: the judgement and the step that counts it are one transaction. Uploads
 * and other inputs of the judge are read before it, so that the transaction waits only for the
 * database.
 */
export async function judgeSubmission(
  deps: TrustCheckActivityDeps,
  request: JudgeProofInput,
): Promise<StepAnswer> {
  const { link_session_id, submission_id, proof } = request;
  const settle = (judgement: Judgement) => {
    const step = { kind: 'settle', proof, submission_id, judgement } as const;
    return { link_session_id, step_id: submission_id, step };
  };
  const [check, found] = await Promise.all([
    findTrustCheck(deps.db, link_session_id),
    findSubmission(deps.db, submission_id),
  ]);
  if (!check) throw new Error('the session does not exist');
  const closed = closedAnswer(check, request);
  if (closed) return closed;
  if (found?.link_session_id !== link_session_id) return { ...answerOf(check), refusal: withdrawn };
  if (found.judged_at) return takeStep(deps, settle(storedJudgement(found)));
  const judge = await prepareJudge(deps, check, found);
  const lock = (tx: Tx) => lockSubmission(tx, submission_id);
  return changeCheck(deps, link_session_id, lock, async ({ tx, row, take }, submission) => {
    // A check that has ended may be redacted, so nothing is judged or stored for it.
    const ended = closedAnswer(row(), request);
    if (ended) return ended;
    if (!submission) return { ...answerOf(row()), refusal: withdrawn };
    const isJudged = submission.judged_at !== null;
    const judgement = isJudged ? storedJudgement(submission) : await judge(tx);
    return take(submission_id, settle(judgement).step);
  });
}

/** Returns the answer if the step is taken already or illegal, or null if it can be judged. */
function closedAnswer(
  row: TrustCheckRow,
  { submission_id, proof }: JudgeProofInput,
): StepAnswer | null {
  if (hasTaken(row, submission_id)) return answerOf(row);
  const refusal = refusalOf(sessionOf(row), { kind: 'settle', proof, submission_id });
  return refusal && { ...answerOf(row), refusal };
}

/** Reads the inputs of a proof. Returns the judge, which runs in a transaction. */
async function prepareJudge(
  deps: TrustCheckActivityDeps,
  session: TrustCheckRow,
  found: ProofSubmissionRow,
): Promise<(tx: Tx) => Promise<Judgement>> {
  const { created_at: handedInAt } = found;
  const input = await openInput(deps.sealer, session, found);
  const judge = await judgeOf(deps, session, found.proof, input);
  const files = await gatherEvidence(deps, session, input);
  const given = { session, input, files, handedInAt };
  const ahead =
    'judgeAhead' in judge ? await judge.judgeAhead({ ...given, now: deps.clock() }) : null;
  const ready = 'prepare' in judge ? await judge.prepare(given) : judge;
  await deps.sealer.prepare(accountOwner(session.account_id));
  const signals = captureSignalsIn(input);
  const submission = { session, id: found.submission_id, deviceId: signerOf(input), signals };
  return async (tx) => {
    const result =
      'judge' in ready ? await ready.judge({ ...given, tx, now: deps.clock() }) : ahead;
    if (!result) throw new Error('a proof was not judged');
    const isGood = await spendChallenge(tx, found, result);
    const judged = isGood ? result : rejected('challenge_unknown');
    return store(deps, tx, submission, doubtCamera(submission, judged));
  };
}

/** Uses up the challenge that a result answers, if any. Returns whether it was unused. */
async function spendChallenge(
  tx: Tx,
  { link_session_id: sessionId, proof, created_at: now }: ProofSubmissionRow,
  { spends: challengeId }: ProofResult,
): Promise<boolean> {
  if (challengeId === undefined) return true;
  return (await takeProofChallenge(tx, { sessionId, proof, challengeId, now })) !== null;
}

/** Returns the judge of a proof: a forced result in a test check, or else the judge of its type. */
async function judgeOf(
  deps: TrustCheckActivityDeps,
  session: TrustCheckRow,
  proof: ProofType,
  input: Readonly<Record<string, unknown>>,
): Promise<ProofJudge | PreparedProofJudge | LongProofJudge> {
  const subject = subjectOf(session);
  if (subject) return createSandboxJudge(subject, proof, await openExpected(deps, session));
  if (input['review_request']) return leaveToReviewer;
  const served = servedProofs.find((type) => type === proof);
  const usual = served && deps.judges[served];
  if (!usual) throw new Error(`no judge for ${proof}`);
  return usual;
}

/** For a person who cannot give the proof: a reviewer decides. */
const leaveToReviewer: ProofJudge = {
  judge: async () => ({
    outcome: 'unsure',
    reason_code: 'review_requested',
    retryable: false,
    provider: null,
  }),
};

/** Returns the device that signed the request, or null for a page, which does not sign. */
function signerOf({ attest }: Record<string, unknown>): string | null {
  const { device_id: signer } = { device_id: null, ...Object(attest) };
  return typeof signer === 'string' ? signer : null;
}

interface Submission {
  readonly session: TrustCheckRow;
  readonly id: string;
  readonly deviceId: string | null;
  /** Signals that the page reported about browser and camera. */
  readonly signals: readonly CaptureSignal[];
}

/**
 * Sends a proof that would pass to a reviewer if the page reported signals and the link has
 * `review_on_unsure`. A preset result of a test check does not change.
 */
function doubtCamera<Result extends Pick<ProofResult, 'outcome' | 'reason_code'>>(
  { session, signals }: Submission,
  result: Result,
): Result {
  const isReviewed = session.asked.policy.review_on_unsure ?? false;
  const isDoubted = result.outcome === 'passed' && signals.length > 0 && !subjectOf(session);
  if (!isReviewed || !isDoubted) return result;
  return { ...result, outcome: 'unsure', reason_code: 'camera_suspect' };
}

async function store(
  deps: TrustCheckActivityDeps,
  tx: Tx,
  { session, id: submissionId, deviceId, signals }: Submission,
  result: ProofResult,
): Promise<Judgement> {
  const capture = captureOf(session);
  const noticed = signals.length === 0 ? {} : { capture_signals: signals };
  const captured = { ...(capture === null ? {} : { capture }), ...noticed };
  const evidenceFiles = (result.evidenceFiles ?? []).map((file) =>
    nameImages({ ...file, ...captured }),
  );
  const place = { accountId: session.account_id, submissionId };
  const kept = {
    claims: { ...result.claims },
    facts: result.verdict?.facts ?? {},
    device_id: deviceId,
    compared_with: result.comparedWith ?? null,
    verdicts: verdictsOf(result).map(verdictHashOf),
  };
  const judgement: Judgement = {
    outcome: result.outcome,
    reason_code: result.reason_code,
    retryable: result.retryable,
    provider: result.provider,
    evidence_hash: evidenceHashOf(evidenceFiles),
  };
  await result.keeps?.(tx);
  await writeJudgement(tx, {
    id: submissionId,
    outcome: result.outcome,
    reasonCode: result.reason_code,
    verdict: { judgement, checks: result.verdict?.checks ?? [], ...noticed },
    ...(await sealEvidence(deps.sealer, place, evidenceFiles, kept)),
    evidenceHash: judgement.evidence_hash,
    now: deps.clock(),
  });
  return judgement;
}

const verdictsOf = ({ verdict, verdicts }: ProofResult): readonly Verdict[] =>
  verdicts ?? (verdict ? [verdict] : []);

/**
 * The API refused the submission after the workflow received it. It does not count as an attempt.
 */
const withdrawn = { code: 'invalid_state', detail: 'the submission was refused' } as const;

function storedJudgement(row: Pick<JudgedAlready, 'verdict'>): Judgement {
  const stored = row.verdict?.['judgement'];
  if (typeof stored !== 'object' || stored === null) throw new Error('a judgement is missing');
  return stored as Judgement;
}

function rejected(reason_code: ProofReason): Judgement & Pick<ProofResult, 'reason_code'> {
  return { outcome: 'rejected', reason_code, retryable: true, provider: null, evidence_hash: null };
}
