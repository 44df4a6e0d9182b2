import { codeDeliveries, type CodeDelivery } from '../../domain/names.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, desc, isNull } from '../schema/drizzle.ts';
import { phoneCodes } from '../schema/phone-codes.ts';
import { proofSubmissions } from '../schema/trust-checks.ts';
import { addEvidenceImage, type NewEvidenceImage } from './evidence-files.ts';

export type ProofSubmissionRow = typeof proofSubmissions.$inferSelect;
export type PhoneCodeRow = typeof phoneCodes.$inferSelect;

const { judged_at, submission_id, verdict } = proofSubmissions;
const {
  expires_at,
  guesses,
  link_session_id,
  number_blind,
  number_sealed,
  secret_version,
  send_id,
  sends,
  sent_at,
  series,
} = phoneCodes;

/** Whether and how a submission was judged. */
export type JudgedAlready = Pick<ProofSubmissionRow, 'judged_at' | 'verdict'>;

/** A judged submission, without its input. */
export type JudgedSubmissionRow = Pick<
  ProofSubmissionRow,
  'submission_id' | 'proof' | 'outcome' | 'verdict' | 'evidence_hash' | 'judged_at'
>;

/** A submission of a document or a face, which a reviewer can judge instead of the service. */
export type ReviewableRow = Pick<
  ProofSubmissionRow,
  'submission_id' | 'proof' | 'input_sealed' | 'reason_code' | 'created_at'
>;

const insertSubmission = statement<ProofSubmissionRow>(
  'proofs.submit',
  `INSERT INTO proof_submissions (submission_id, link_session_id, proof, input_sealed, created_at)
   SELECT :id, link_session_id, :proof, :inputSealed, :now FROM trust_checks
   WHERE link_session_id = :sessionId AND decided_at IS NULL FOR SHARE
   ON CONFLICT (submission_id) DO NOTHING RETURNING *`,
);
const lockSubmissionRow = prepare('proofs.lock_submission', { submission_id }, ({ equals }) =>
  build
    .select({ judged_at, verdict })
    .from(proofSubmissions)
    .where(equals.submission_id)
    .for('update'),
);
const knownSubmission = prepare('proofs.known', { submission_id }, ({ equals }) =>
  build.select({ submission_id }).from(proofSubmissions).where(equals.submission_id),
);
const submissionById = prepare('proofs.submission', { submission_id }, ({ equals }) =>
  build.select().from(proofSubmissions).where(equals.submission_id),
);
const judged = statement(
  'proofs.judged',
  `UPDATE proof_submissions
   SET outcome = :outcome, reason_code = :reasonCode, verdict = :verdict::jsonb,
     evidence_sealed = :evidenceSealed, evidence_hash = :evidenceHash, judged_at = :now,
     claims_sealed = :claimsSealed
   WHERE submission_id = :id`,
);
const deleteUnjudged = prepare('proofs.remove_unjudged', { submission_id }, ({ equals }) =>
  build.delete(proofSubmissions).where(and(equals.submission_id, isNull(judged_at))),
);
const passedOf = statement<JudgedSubmissionRow>(
  'proofs.judged_of_session',
  `SELECT submission_id, proof, outcome, verdict, evidence_hash, judged_at
   FROM proof_submissions WHERE link_session_id = :sessionId AND judged_at IS NOT NULL
   ORDER BY judged_at`,
);

const reviewable = statement<ReviewableRow>(
  'proofs.reviewable',
  `SELECT submission_id, proof, input_sealed, reason_code, created_at FROM proof_submissions
   WHERE link_session_id = :sessionId AND proof IN ('document', 'biometric')
   ORDER BY created_at, submission_id`,
);

/** Stores a submission of a proof, once per id. Stores nothing for a check that has ended. */
export async function addSubmission(
  on: Queryable,
  row: { id: string; sessionId: string; proof: string; inputSealed: Buffer; now: Date },
): Promise<void> {
  await insertSubmission(on, row);
}

/** Returns true if the submission was stored, in any state. */
export async function isSubmitted(on: Queryable, id: string): Promise<boolean> {
  return (await knownSubmission(on, { submission_id: id })).length > 0;
}

export async function findSubmission(
  on: Queryable,
  id: string,
): Promise<ProofSubmissionRow | null> {
  return firstOf(await submissionById(on, { submission_id: id }));
}

/** Deletes a submission that will not be judged. */
export async function removeUnjudged(on: Queryable, id: string): Promise<void> {
  await deleteUnjudged(on, { submission_id: id });
}

export async function lockSubmission(tx: Tx, id: string): Promise<JudgedAlready | null> {
  return firstOf(await lockSubmissionRow(tx, { submission_id: id }));
}

export interface SubmissionJudgement {
  readonly id: string;
  readonly outcome: string;
  readonly reasonCode: string | null;
  readonly verdict: unknown;
  readonly claimsSealed: Buffer;
  readonly evidenceSealed: Buffer;
  readonly images: readonly NewEvidenceImage[];
  readonly evidenceHash: string | null;
  readonly now: Date;
}

export async function writeJudgement(tx: Tx, row: SubmissionJudgement): Promise<void> {
  await judged(tx, {
    id: row.id,
    outcome: row.outcome,
    reasonCode: row.reasonCode,
    verdict: JSON.stringify(row.verdict),
    evidenceSealed: row.evidenceSealed,
    evidenceHash: row.evidenceHash,
    now: row.now,
    claimsSealed: row.claimsSealed,
  });
  for (const image of row.images) await addEvidenceImage(tx, row.id, image);
}

/**
 * Returns the judged submissions of a session, oldest first, without their evidence. See
 * `openClaims`.
 */
export async function listJudged(on: Queryable, sessionId: string): Promise<JudgedSubmissionRow[]> {
  return passedOf(on, { sessionId });
}

/** Returns the document and face submissions of a session, oldest first. A review can follow. */
export async function listReviewable(on: Queryable, sessionId: string): Promise<ReviewableRow[]> {
  return reviewable(on, { sessionId });
}

const lastCode = prepare('phone_codes.last', { link_session_id }, ({ equals }) =>
  build.select().from(phoneCodes).where(equals.link_session_id).orderBy(desc(series)).limit(1),
);
const currentCode = statement<PhoneCodeRow>(
  'phone_codes.current',
  `SELECT * FROM phone_codes
   WHERE link_session_id = :sessionId ORDER BY series DESC LIMIT 1 FOR UPDATE`,
);
const insertCode = prepare(
  'phone_codes.insert',
  {
    link_session_id,
    series,
    number_sealed,
    number_blind,
    sends,
    sent_at,
    expires_at,
    guesses,
    send_id,
    secret_version,
  },
  ({ by }) => build.insert(phoneCodes).values(by).returning(),
);
const resent = statement<PhoneCodeRow>(
  'phone_codes.resent',
  `UPDATE phone_codes SET sends = sends + 1, sent_at = :sent_at, send_id = :send_id
   WHERE link_session_id = :link_session_id AND series = :series RETURNING *`,
);
/**
 * A later send wins over an earlier one; for the same send, a more advanced state wins. A send that
 * was never made is ignored.
 */
const noted = statement<Pick<PhoneCodeRow, 'series'>>(
  'phone_codes.note_delivery',
  `UPDATE phone_codes SET delivery_send = :send, delivery = :state, delivery_reason = :reason
   WHERE link_session_id = :link_session_id AND series = :series AND sends >= :send
     AND (delivery_send IS NULL OR delivery_send < :send
       OR (delivery_send = :send AND delivery = ANY(:less)))
   RETURNING series`,
);
const guess = statement<PhoneCodeRow>(
  'phone_codes.guess',
  `UPDATE phone_codes SET guesses = guesses + 1
   WHERE link_session_id = :sessionId AND series = :series AND guesses < :guessesMax RETURNING *`,
);

/** Returns the newest code of a session, or null. */
export async function findPhoneCode(
  on: Queryable,
  sessionId: string,
): Promise<PhoneCodeRow | null> {
  return firstOf(await lastCode(on, { link_session_id: sessionId }));
}

/** Returns the newest code of a session, locked until the transaction ends. */
export async function lockPhoneCode(tx: Tx, sessionId: string): Promise<PhoneCodeRow | null> {
  return firstOf(await currentCode(tx, { sessionId }));
}

/** A code at its first send, without a delivery state. */
export type NewPhoneCode = Omit<PhoneCodeRow, 'delivery_send' | 'delivery' | 'delivery_reason'>;

export async function addPhoneCode(tx: Tx, row: NewPhoneCode): Promise<void> {
  await insertCode(tx, row);
}

/** Counts another send of the same code. */
export async function resendPhoneCode(
  tx: Tx,
  row: Pick<PhoneCodeRow, 'link_session_id' | 'series' | 'sent_at' | 'send_id'>,
): Promise<void> {
  await resent(tx, row);
}

/** One message with a code: the session, the code's series, and the number of the send. */
export interface CodeSend {
  readonly link_session_id: string;
  readonly series: number;
  readonly send: number;
}

/**
 * Records the delivery state of a message with a code. Reports may arrive in any order.
 * @returns true if it adds to what is known
 */
export async function noteCodeDelivery(
  on: Queryable,
  { link_session_id, series, send }: CodeSend,
  { state, reason }: { readonly state: CodeDelivery; readonly reason: string | null },
): Promise<boolean> {
  const less = codeDeliveries.slice(0, codeDeliveries.indexOf(state));
  return (await noted(on, { link_session_id, series, send, state, reason, less })).length > 0;
}

/** Counts a guess before it is compared. Returns null if no guesses are left. */
export async function countGuess(
  tx: Tx,
  sessionId: string,
  series: number,
  guessesMax: number,
): Promise<PhoneCodeRow | null> {
  return firstOf(await guess(tx, { sessionId, series, guessesMax }));
}
