import { statement, type Tx } from '../client.ts';
import type { TrustCheckRow } from './trust-checks.ts';

const submissions = statement(
  'redaction.submissions',
  `UPDATE proof_submissions SET input_sealed = NULL, evidence_sealed = NULL
   WHERE link_session_id = $1`,
);
const codes = statement('redaction.codes', 'DELETE FROM phone_codes WHERE link_session_id = $1');
const content = statement(
  'redaction.affidavit_content',
  'UPDATE affidavits SET content_sealed = NULL WHERE link_session_id = $1',
);
const notes = statement(
  'redaction.notes',
  `WITH undecided AS (DELETE FROM reviews WHERE link_session_id = $1 AND decided_at IS NULL)
   UPDATE reviews SET note_sealed = NULL WHERE link_session_id = $1 AND decided_at IS NOT NULL`,
);
const session = statement<TrustCheckRow>(
  'redaction.trust_check',
  `UPDATE trust_checks SET claims_sealed = NULL, cancel_reason_sealed = NULL, begun_from = NULL,
     redacted_at = $2
   WHERE link_session_id = $1 RETURNING *`,
);

/**
 * Removes every sealed value about a person that belongs to one session: what was handed in, what
 * it was judged on, the number codes were sent to, the claims, the copy of the affidavit's content.
 * Hashes, states and checks stay: they prove what was done without saying about whom.
 */
export async function redactSession(tx: Tx, id: string, now: Date): Promise<TrustCheckRow> {
  await submissions(tx, [id]);
  await codes(tx, [id]);
  await content(tx, [id]);
  await notes(tx, [id]);
  const [row] = await session(tx, [id, now]);
  if (!row) throw new Error('the session to redact does not exist');
  return row;
}
