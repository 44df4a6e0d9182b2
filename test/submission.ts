import type { Db } from '../db/client.ts';
import { randomIds } from '../db/ids.ts';
import { accountOwner } from '../db/sealing/sealed.ts';
import { ownPlatform } from './own-platform.ts';
import { ownSealer } from './own-sealer.ts';

/** A submission of a session; with claims it was judged and has passed, and no step took it. */
export async function insertSubmission(db: Db, id: string, claims?: object): Promise<string> {
  const submission = randomIds.make('sub');
  const context = `proof_submissions|evidence|${submission}`;
  const kept = JSON.stringify({ files: [], claims, facts: {} });
  const evidence =
    claims && (await ownSealer(db).seal(accountOwner(ownPlatform().own.account_id), context, kept));
  await db.query(
    `INSERT INTO proof_submissions (submission_id, link_session_id, proof, created_at, outcome,
       judged_at, evidence_sealed)
     VALUES ($1, $2, 'phone', now(), $3, $4, $5)`,
    [submission, id, claims && 'passed', claims && new Date(), evidence],
  );
  return submission;
}
