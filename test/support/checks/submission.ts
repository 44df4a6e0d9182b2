import { sealEvidence } from '../../../activities/proofs/evidence/evidence-repository.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { ownSealer } from '../keys/own-sealer.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/**
 * Inserts a submission of a session. With claims, it was judged and passed, but no step has
 * processed it.
 */
export async function insertSubmission(db: Db, id: string, claims?: object): Promise<string> {
  const submission = randomIds.make('sub');
  const of = { accountId: ownPlatform().own.account_id, submissionId: submission };
  const unsigned = { device_id: null, compared_with: null, verdicts: [] };
  const sealed =
    claims &&
    (await sealEvidence(ownSealer(db), of, [], { claims: { ...claims }, facts: {}, ...unsigned }));
  await db.query(
    `INSERT INTO proof_submissions (submission_id, link_session_id, proof, created_at, outcome,
       judged_at, claims_sealed, evidence_sealed)
     VALUES ($1, $2, 'phone', now(), $3, $4, $5, $6)`,
    [
      submission,
      id,
      claims && 'passed',
      claims && new Date(),
      sealed?.claimsSealed,
      sealed?.evidenceSealed,
    ],
  );
  return submission;
}
