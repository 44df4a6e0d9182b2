import { createHash, randomBytes } from 'node:crypto';
import { sealEvidence } from '../../../activities/proofs/evidence/evidence-repository.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addEvidenceImage } from '../../../db/queries/evidence-files.ts';
import { nameImages } from '../../../domain/evidence/binding.ts';
import { documentRules } from '../../../domain/proofs/document/rules.ts';
import { ownSealer } from '../keys/own-sealer.ts';
import { ownPlatform } from '../platform/own-platform.ts';

export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
/** Returns unique bytes that start like a JPEG. */
export const jpeg = (): Buffer => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), randomBytes(40)]);
export const claims = { full_name: 'ANNA MARIA ERIKSSON' };

/** Inserts a submission with photographs. */
export async function photographed(db: Db, id: string) {
  const { own } = ownPlatform();
  const [front, back] = [jpeg(), jpeg()];
  const first = {
    format: 'trustcheck-evidence/1',
    kind: 'document-image',
    at: '2026-11-22T00:00:00Z',
    policy: { rules: documentRules },
    input: { front: front.toString('base64'), back: back.toString('base64') },
  };
  const file = { ...first, ...nameImages(first) };
  const of = { accountId: own.account_id, submissionId: randomIds.make('sub') };
  const kept = { claims, facts: {}, device_id: null, compared_with: null, verdicts: [] };
  const parts = await sealEvidence(ownSealer(db), of, [file], kept);
  await transaction(db, async (tx) => {
    await tx.query(
      `INSERT INTO proof_submissions (submission_id, link_session_id, proof, created_at, judged_at,
         outcome, claims_sealed, evidence_sealed)
       VALUES ($1, $2, 'document', now(), now(), 'unsure', $3, $4)`,
      [of.submissionId, id, parts.claimsSealed, parts.evidenceSealed],
    );
    for (const image of parts.images) await addEvidenceImage(tx, of.submissionId, image);
  });
  return { of, file, hashes: [sha256Of(front), sha256Of(back)].toSorted() };
}
