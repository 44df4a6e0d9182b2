import { z } from 'zod';
import type { Queryable } from '../../../db/client.ts';
import { listJudged } from '../../../db/queries/proofs.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { portraitOf } from '../../../domain/proofs/passport/data/portrait.ts';
import { portraitProofOf } from '../../../workflows/proofs.ts';
import { countSubmissions } from '../count-submissions.ts';
import { filesOf, type EvidencePlaceOf } from '../evidence/evidence-repository.ts';

/** The portrait a face is held against, and the evidence it is from. */
export interface Reference {
  /** Names the very judgement: another document, or the same one judged anew, has another. */
  readonly evidenceHash: string;
  /** An image that shows one face, or the page around it. */
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
 * Finds whose face it has to be: of the proof that shows a portrait and that the check took last,
 * passed or left to a reviewer. Where a passport is asked for, no other portrait will do: whoever
 * holds somebody else's would else show a page of their own beside it. Null where none is there.
 */
export async function findReference(
  deps: ReferenceDeps,
  check: ReferenceInput,
): Promise<Reference | null> {
  const shows = portraitProofOf(check.proofs.map(({ type }) => type));
  const judged = await listJudged(deps.db, check.link_session_id);
  const last = countSubmissions(check.log, judged).findLast(
    ({ proof, outcome }) => proof === shows && (outcome === 'passed' || outcome === 'unsure'),
  );
  if (!last?.evidence_hash) return null;
  const of = { accountId: check.account_id, submissionId: last.submission_id };
  const image = await findPortrait(deps, of);
  return image && { evidenceHash: last.evidence_hash, image };
}

/** Finds the portrait in the evidence of a submission; null where it has none, or not any more. */
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
