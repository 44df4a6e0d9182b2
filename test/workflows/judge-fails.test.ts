import { expect, it } from 'vitest';
import { randomIds } from '../../db/ids.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import { submitProofUpdate, trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { collecting, newLink, type Session } from '../support/http/client.ts';
import { ownSealer } from '../support/keys/own-sealer.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

const { databaseUrl, own } = ownPlatform();

/** Inserts a submission with an object key that no store accepts, so its judge fails for good. */
async function insertUnjudgeable({ id }: Session): Promise<string> {
  const [submission, evidence] = [randomIds.make('sub'), randomIds.make('ev')];
  const db = openTestDb(databaseUrl);
  try {
    const sealer = ownSealer(db);
    const input = await sealer.seal(
      accountOwner(own.account_id),
      `proof_submissions|input|${submission}`,
      JSON.stringify({ file: evidence }),
    );
    await db.query(
      `INSERT INTO evidence (evidence_id, link_session_id, name, sha256, size_bytes, content_type,
         object_key, created_at) VALUES ($1, $2, 'SOD', '', 1, 'text/plain', '../SOD', now())`,
      [evidence, id],
    );
    await db.query(
      `INSERT INTO proof_submissions (submission_id, link_session_id, proof, input_sealed, created_at)
       VALUES ($1, $2, 'phone', $3, now())`,
      [submission, id, input],
    );
  } finally {
    await db.end();
  }
  return submission;
}

it('a judge that fails for good sends the proof to review', async () => {
  const session = await collecting(await newLink());
  const client = await connectClient();
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  const submission_id = await insertUnjudgeable(session);
  const { proofs } = await handle.executeUpdate(submitProofUpdate, {
    args: [{ proof: 'phone', submission_id }],
  });
  expect(proofs).toMatchObject([{ status: 'in_review', reason_code: 'provider_unavailable' }]);
  const { body } = await session.get();
  expect([body['status'], body['reason_code']]).toEqual(['in_review', 'provider_unavailable']);
  await client.connection.close();
});
