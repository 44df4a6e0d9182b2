import { z } from 'zod';
import type { Queryable } from '../../../db/client.ts';
import { listJudged } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { portraitOf } from '../../../domain/proofs/passport/data/portrait.ts';
import { portraitProofOf } from '../../../workflows/proofs.ts';
import { countSubmissions } from '../count-submissions.ts';
import { filesOf, type EvidencePlaceOf } from '../evidence/evidence-repository.ts';

/** The portrait that a face is compared with, and its evidence. */
export interface Reference {
  /** Hash of the judgement's evidence. It differs for another document and for a new judgement. */
  readonly evidenceHash: string;
  /** An image of one face, or of the page around it. */
  readonly image: Uint8Array;
}

export interface ReferenceDeps {
  readonly db: Queryable;
  readonly sealer: Pick<Sealer, 'open'>;
}

type ReferenceInput = Pick<TrustCheckRow, 'link_session_id' | 'account_id' | 'proofs' | 'log'>;

const base64 = z.string().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const portraitFile = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('emrtd'),
    input: z.object({ data_groups: z.object({ DG2: base64.optional() }) }),
  }),
  z.object({ kind: z.literal('document-image'), input: z.object({ front: base64 }) }),
]);

/**
 * Finds the reference portrait of a check: that of the last accepted submission, passed or left to
 * a reviewer, of the proof with a portrait. If the check requires a passport, only its portrait
 * counts: otherwise the holder of a stolen passport could add a page of their own. Null where there
 * is none.
 */
export async function findReference(
  deps: ReferenceDeps,
  check: ReferenceInput,
): Promise<Reference | null> {
  const portraitProof = portraitProofOf(check.proofs.map(({ type }) => type));
  const judged = await listJudged(deps.db, check.link_session_id);
  const last = countSubmissions(check.log, judged).findLast(
    ({ proof, outcome }) =>
      proof === portraitProof && (outcome === 'passed' || outcome === 'unsure'),
  );
  if (!last?.evidence_hash) return null;
  const of = { accountId: check.account_id, submissionId: last.submission_id };
  const image = await findPortrait(deps, of);
  return image && { evidenceHash: last.evidence_hash, image };
}

/**
 * Returns the portrait in the evidence of a submission; null where it has none, or it was removed.
 */
export async function findPortrait(
  deps: ReferenceDeps,
  of: EvidencePlaceOf,
): Promise<Uint8Array | null> {
  for await (const file of filesOf(deps, of)) {
    const image = portraitIn(file);
    if (image) return image;
  }
  return null;
}

function portraitIn(file: unknown): Uint8Array | null {
  const { data } = portraitFile.safeParse(file);
  if (!data) return null;
  return data.kind === 'emrtd' ? portraitOf(data.input.data_groups.DG2) : data.input.front;
}
