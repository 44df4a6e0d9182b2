import type { Client } from '@temporalio/client';
import { randomIds } from '../../../db/ids.ts';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../workflows/trust-check/messages.ts';
import { collecting, newLink, type Session } from '../http/client.ts';
import { eventually, openTestDb } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/**
 * Inserts a submission that was judged unsure, as a judge leaves it that crashed before it
 * returned. Returns its id.
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

/** Returns a session that waits for its reviewer. */
export async function sessionInReview(client: Client): Promise<Session> {
  const session = await collecting(await newLink());
  const submission_id = await insertUnsure(ownPlatform().databaseUrl, session.id);
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
  return eventually('the review', async () => {
    const { body } = await session.get();
    return body['status'] === 'in_review' && session;
  });
}
