import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { addAffidavit } from '../../db/queries/affidavits.ts';
import { takeProofChallenge } from '../../db/queries/evidence.ts';
import {
  findSubmission,
  lockSubmission,
  writeJudgement,
  type ProofSubmissionRow,
} from '../../db/queries/proofs.ts';
import {
  findTrustCheck,
  lockTrustCheck,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { evidenceHashOf, nameImages } from '../../domain/evidence/binding.ts';
import type { ProofReason } from '../../domain/proofs/reasons.ts';
import { verdictHashOf, type Verdict } from '../../domain/proofs/verdict.ts';
import type { Ruling } from '../../domain/trust-checks/decide.ts';
import { servedProofs, type ProofType, type ServedProof } from '../../workflows/proofs.ts';
import type { TrustCheckSnapshot } from '../../workflows/trust-check/messages.ts';
import type { Judgement } from '../../workflows/trust-check/session.ts';
import { sealEvidence } from '../proofs/evidence/kept-evidence.ts';
import type { EvidenceStore } from '../proofs/evidence/store.ts';
import type {
  LongProofJudge,
  PreparedProofJudge,
  ProofJudge,
  ProofResult,
} from '../proofs/judge.ts';
import { decideCheck, openExpected, type DecideCheckInput } from './decide-check.ts';
import { createForcedJudge, subjectOf } from './force.ts';
import { gatherEvidence } from './gather-evidence.ts';
import type { PhotoPublisher } from './photo.ts';
import { otherOnRecord, projectSnapshot } from './project.ts';

export interface JudgeProofInput {
  readonly link_session_id: string;
  readonly submission_id: string;
  readonly proof: ProofType;
  readonly attempt: number;
  readonly device_id: string | null;
}

export interface TrustCheckActivities {
  judgeProof(input: JudgeProofInput): Promise<Judgement>;
  decideTrustCheck(input: DecideCheckInput): Promise<Ruling>;
  /** Answers what is on record instead, where that is not what the snapshot says; else null. */
  projectTrustCheck(snapshot: TrustCheckSnapshot): Promise<TrustCheckSnapshot | null>;
  concludeTrustCheck(snapshot: TrustCheckSnapshot): Promise<TrustCheckSnapshot | null>;
}

export interface TrustCheckActivityDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly evidence: EvidenceStore;
  readonly photos: PhotoPublisher;
  readonly clock: () => Date;
  readonly judges: Readonly<Record<ServedProof, ProofJudge | PreparedProofJudge | LongProofJudge>>;
}

/**
 * The steps of a trust check. Each is one transaction and may be repeated without a second effect.
 */
export function createTrustCheckActivities(deps: TrustCheckActivityDeps): TrustCheckActivities {
  return {
    judgeProof: (input) => judgeProof(deps, input),
    decideTrustCheck: (input) => decideCheck(deps, input),
    projectTrustCheck: async (snapshot) =>
      otherOnRecord(snapshot, await projectSnapshot(deps, snapshot)),
    concludeTrustCheck: (snapshot) => conclude(deps, snapshot),
  };
}

/**
 * A submission that was judged before a crash is not judged again: its judgement stands. What was
 * uploaded, and what a judge needs besides, is fetched before the transaction, which waits for
 * nothing but the database.
 */
async function judgeProof(
  deps: TrustCheckActivityDeps,
  request: JudgeProofInput,
): Promise<Judgement> {
  const served = servedProofs.find((type) => type === request.proof);
  const usual = served && deps.judges[served];
  if (!usual) throw new Error(`no judge for ${request.proof}`);
  const [session, found] = await Promise.all([
    must(deps, request.link_session_id),
    findSubmission(deps.db, request.submission_id),
  ]);
  if (!found || found.link_session_id !== session.link_session_id) {
    return rejected('evidence_missing');
  }
  if (found.judged_at) return storedJudgement(found);
  const subject = subjectOf(session);
  const judge = subject
    ? createForcedJudge(subject, request.proof, await openExpected(deps, session))
    : usual;
  const input = await openInput(deps, session, found);
  const files = await gatherEvidence(deps, session, input);
  const given = {
    session: { ...session, device_id: request.device_id },
    input,
    files,
    handedInAt: found.created_at,
  };
  const ahead =
    'judgeAhead' in judge ? await judge.judgeAhead({ ...given, now: deps.clock() }) : null;
  const ready = 'prepare' in judge ? await judge.prepare(given) : judge;
  await deps.sealer.prepare(accountOwner(session.account_id));
  const lock = (tx: Tx) =>
    Promise.all([
      lockTrustCheck(tx, request.link_session_id),
      lockSubmission(tx, request.submission_id),
    ]);
  return lockedTransaction(deps.db, lock, async (tx, [check, submission]) => {
    if (!submission) return rejected('evidence_missing');
    if (submission.judged_at) return storedJudgement(submission);
    // It is over on record, and may be redacted: nothing is judged or kept any more.
    if (!check || check.decided_at) return rejected('evidence_missing');
    const result =
      'judge' in ready ? await ready.judge({ ...given, tx, now: deps.clock() }) : ahead;
    if (!result) throw new Error('a proof was not judged');
    return store(
      deps,
      tx,
      { session, id: request.submission_id, deviceId: signerOf(input) },
      (await isGood(tx, found, result)) ? result : rejected('challenge_unknown'),
    );
  });
}

/** Whether what it answers, if anything, was not answered before: of two only one is judged. */
async function isGood(
  tx: Tx,
  { link_session_id: sessionId, proof, created_at: now }: ProofSubmissionRow,
  { spends: challengeId }: ProofResult,
): Promise<boolean> {
  if (challengeId === undefined) return true;
  return (await takeProofChallenge(tx, { sessionId, proof, challengeId, now })) !== null;
}

async function openInput(
  deps: TrustCheckActivityDeps,
  session: TrustCheckRow,
  submission: ProofSubmissionRow,
): Promise<Record<string, unknown>> {
  if (!submission.input_sealed) return {};
  const context = `proof_submissions|input|${submission.submission_id}`;
  const owner = accountOwner(session.account_id);
  return JSON.parse((await deps.sealer.open(owner, context, submission.input_sealed)).toString());
}

/** The device that signed the request; a page signs none. */
function signerOf({ attest }: Record<string, unknown>): string | null {
  const { device_id: signer } = { device_id: null, ...Object(attest) };
  return typeof signer === 'string' ? signer : null;
}

interface Submission {
  readonly session: TrustCheckRow;
  readonly id: string;
  readonly deviceId: string | null;
}

async function store(
  deps: TrustCheckActivityDeps,
  tx: Tx,
  { session, id: submissionId, deviceId }: Submission,
  result: ProofResult,
): Promise<Judgement> {
  const evidenceFiles = (result.evidenceFiles ?? []).map(nameImages);
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
    verdict: { judgement, checks: result.verdict?.checks ?? [] },
    ...(await sealEvidence(deps.sealer, place, evidenceFiles, kept)),
    evidenceHash: judgement.evidence_hash,
    now: deps.clock(),
  });
  return judgement;
}

const verdictsOf = ({ verdict, verdicts }: ProofResult): readonly Verdict[] =>
  verdicts ?? (verdict ? [verdict] : []);

function storedJudgement(row: { verdict: Record<string, unknown> | null }): Judgement {
  const stored = row.verdict?.['judgement'];
  if (typeof stored !== 'object' || stored === null) throw new Error('a judgement is missing');
  return stored as Judgement;
}

function rejected(reason_code: ProofReason): Judgement & Pick<ProofResult, 'reason_code'> {
  return { outcome: 'rejected', reason_code, retryable: true, provider: null, evidence_hash: null };
}

/**
 * Projects a final snapshot and, for a decided check, plans its one affidavit: a relay starts it.
 */
async function conclude(
  deps: TrustCheckActivityDeps,
  snapshot: TrustCheckSnapshot,
): Promise<TrustCheckSnapshot | null> {
  const isDecided = snapshot.status === 'passed' || snapshot.status === 'failed';
  const row = await projectSnapshot(deps, snapshot, async (tx, before) =>
    isDecided ? addAffidavit(tx, before, deps.ids.make('aff'), deps.clock()) : null,
  );
  return otherOnRecord(snapshot, row);
}

async function must(deps: TrustCheckActivityDeps, id: string): Promise<TrustCheckRow> {
  const session = await findTrustCheck(deps.db, id);
  if (!session) throw new Error('the session does not exist');
  return session;
}
