import { randomIds } from '../db/ids.ts';
import { openTestDb } from './harness.ts';

/**
 * Puts a submission of a session into the store that was judged before and is unsure, as a judge
 * leaves it that died on the way back; gives its id.
 */
export async function insertUnsure(databaseUrl: string, linkSessionId: string): Promise<string> {
  const id = randomIds.make('sub');
  const judgement = {
    outcome: 'unsure',
    reason_code: 'provider_unavailable',
    retryable: false,
    provider: null,
    evidence_hash: null,
  };
  const db = openTestDb(databaseUrl);
  try {
    await db.query(
      `INSERT INTO proof_submissions (submission_id, link_session_id, proof, outcome, verdict,
         created_at, judged_at) VALUES ($1, $2, 'phone', 'unsure', $3, now(), now())`,
      [id, linkSessionId, JSON.stringify({ judgement, checks: [] })],
    );
  } finally {
    await db.end();
  }
  return id;
}
