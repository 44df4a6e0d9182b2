import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type {
  evidence,
  phoneCodes,
  proofChallenges,
  proofSubmissions,
} from '../schema/trust-checks.ts';

export type ProofSubmissionRow = typeof proofSubmissions.$inferSelect;
export type EvidenceRow = typeof evidence.$inferSelect;
export type PhoneCodeRow = typeof phoneCodes.$inferSelect;
export type ProofChallengeRow = typeof proofChallenges.$inferSelect;

const insertSubmission = statement<ProofSubmissionRow>(
  'proofs.submit',
  `INSERT INTO proof_submissions (submission_id, link_session_id, proof, input_sealed, created_at)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT (submission_id) DO NOTHING RETURNING *`,
);
const lockSubmissionRow = statement<ProofSubmissionRow>(
  'proofs.lock_submission',
  'SELECT * FROM proof_submissions WHERE submission_id = $1 FOR UPDATE',
);
const judged = statement(
  'proofs.judged',
  `UPDATE proof_submissions SET outcome = $2, reason_code = $3, verdict = $4::jsonb,
     evidence_sealed = $5, evidence_hash = $6, judged_at = $7
   WHERE submission_id = $1`,
);
const passedOf = statement<ProofSubmissionRow>(
  'proofs.judged_of_session',
  `SELECT * FROM proof_submissions WHERE link_session_id = $1 AND judged_at IS NOT NULL
   ORDER BY judged_at`,
);

/** Keeps what was handed in for a proof, once for its id. */
export async function addSubmission(
  on: Queryable,
  row: { id: string; sessionId: string; proof: string; inputSealed: Buffer; now: Date },
): Promise<void> {
  await insertSubmission(on, [row.id, row.sessionId, row.proof, row.inputSealed, row.now]);
}

export async function lockSubmission(tx: Tx, id: string): Promise<ProofSubmissionRow | null> {
  return firstOf(await lockSubmissionRow(tx, [id]));
}

export interface SubmissionJudgement {
  readonly id: string;
  readonly outcome: string;
  readonly reasonCode: string | null;
  readonly verdict: unknown;
  readonly evidenceSealed: Buffer | null;
  readonly evidenceHash: string | null;
  readonly now: Date;
}

export async function writeJudgement(tx: Tx, row: SubmissionJudgement): Promise<void> {
  await judged(tx, [
    row.id,
    row.outcome,
    row.reasonCode,
    JSON.stringify(row.verdict),
    row.evidenceSealed,
    row.evidenceHash,
    row.now,
  ]);
}

/** Every judged submission of a session, oldest first. */
export async function listJudged(on: Queryable, sessionId: string): Promise<ProofSubmissionRow[]> {
  return passedOf(on, [sessionId]);
}

const addEvidenceRow = statement<EvidenceRow>(
  'evidence.add',
  `INSERT INTO evidence (evidence_id, link_session_id, name, sha256, size_bytes, content_type,
     object_key, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8
   WHERE (SELECT count(*) FROM evidence WHERE link_session_id = $2) < $9
   RETURNING *`,
);
const evidenceOf = statement<EvidenceRow>(
  'evidence.of_session',
  `SELECT * FROM evidence WHERE link_session_id = $1 AND evidence_id = ANY ($2)
     AND removed_at IS NULL`,
);

/** Records uploaded evidence; null when the session holds as much as it may. */
export async function addEvidence(
  on: Queryable,
  row: Omit<EvidenceRow, 'removed_at'>,
  countMax: number,
): Promise<EvidenceRow | null> {
  return firstOf(
    await addEvidenceRow(on, [
      row.evidence_id,
      row.link_session_id,
      row.name,
      row.sha256,
      row.size_bytes,
      row.content_type,
      row.object_key,
      row.created_at,
      countMax,
    ]),
  );
}

/** The named evidence of this session; ids of another session are not found. */
export async function listEvidence(
  on: Queryable,
  sessionId: string,
  ids: readonly string[],
): Promise<EvidenceRow[]> {
  return evidenceOf(on, [sessionId, ids]);
}

const addChallengeRow = statement(
  'proof_challenges.add',
  `INSERT INTO proof_challenges (challenge_id, link_session_id, proof, challenge, expires_at)
   VALUES ($1, $2, $3, $4, $5)`,
);
const takeNewest = statement<ProofChallengeRow>(
  'proof_challenges.take_newest',
  `UPDATE proof_challenges SET used_at = $3 WHERE challenge_id = (
     SELECT challenge_id FROM proof_challenges
     WHERE link_session_id = $1 AND proof = $2::proof_type AND used_at IS NULL AND expires_at > $3
     ORDER BY expires_at DESC LIMIT 1)
   RETURNING *`,
);

export async function addProofChallenge(
  on: Queryable,
  row: Omit<ProofChallengeRow, 'used_at'>,
): Promise<void> {
  await addChallengeRow(on, [
    row.challenge_id,
    row.link_session_id,
    row.proof,
    row.challenge,
    row.expires_at,
  ]);
}

/** Takes the newest live challenge of a session and proof: it is good for one submission. */
export async function takeProofChallenge(
  tx: Tx,
  sessionId: string,
  proof: string,
  now: Date,
): Promise<ProofChallengeRow | null> {
  return firstOf(await takeNewest(tx, [sessionId, proof, now]));
}

const currentCode = statement<PhoneCodeRow>(
  'phone_codes.current',
  `SELECT * FROM phone_codes WHERE link_session_id = $1 ORDER BY series DESC LIMIT 1 FOR UPDATE`,
);
const insertCode = statement<PhoneCodeRow>(
  'phone_codes.insert',
  `INSERT INTO phone_codes (link_session_id, series, number_sealed, number_blind, sends, sent_at,
     expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *`,
);
const resent = statement<PhoneCodeRow>(
  'phone_codes.resent',
  `UPDATE phone_codes SET sends = sends + 1, sent_at = $3, expires_at = $4
   WHERE link_session_id = $1 AND series = $2 RETURNING *`,
);
const guess = statement<PhoneCodeRow>(
  'phone_codes.guess',
  `UPDATE phone_codes SET guesses = guesses + 1
   WHERE link_session_id = $1 AND series = $2 AND guesses < $3 RETURNING *`,
);

/** The newest code of a session, locked until the transaction ends. */
export async function lockPhoneCode(tx: Tx, sessionId: string): Promise<PhoneCodeRow | null> {
  return firstOf(await currentCode(tx, [sessionId]));
}

export async function addPhoneCode(tx: Tx, row: Omit<PhoneCodeRow, 'guesses'>): Promise<void> {
  await insertCode(tx, [
    row.link_session_id,
    row.series,
    row.number_sealed,
    row.number_blind,
    row.sends,
    row.sent_at,
    row.expires_at,
  ]);
}

/** Counts one more send of the same code. */
export async function resendPhoneCode(
  tx: Tx,
  sessionId: string,
  series: number,
  sentAt: Date,
  expiresAt: Date,
): Promise<void> {
  await resent(tx, [sessionId, series, sentAt, expiresAt]);
}

/** Counts a guess before it is compared; null when none are left. */
export async function countGuess(
  tx: Tx,
  sessionId: string,
  series: number,
  guessesMax: number,
): Promise<PhoneCodeRow | null> {
  return firstOf(await guess(tx, [sessionId, series, guessesMax]));
}
