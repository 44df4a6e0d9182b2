import { takeDocument } from '../../activities/proofs/document/read.ts';
import { documentTypes } from '../../domain/proofs/document/document-types.ts';
import { verifyDocumentImage } from '../../domain/proofs/document/verify-document-image.ts';
import type { Labelled } from './labelled.ts';

/** How one photograph came out. */
export interface Outcome {
  readonly name: string;
  readonly condition: string;
  readonly verdict: string;
  readonly reason: string | null;
  /** Fields that were read, and are not what was printed. */
  readonly wrong: readonly string[];
  readonly ms: number;
}

/** The instant the set is judged at. */
export const judgedAt = new Date('2026-11-21T12:00:00Z');

/** Judges a photograph as a live check does, and holds the fields against the truth. */
export async function judgeLabelled(one: Labelled): Promise<Outcome> {
  const begun = performance.now();
  const { reading } = await takeDocument(one);
  const {
    verdict,
    reason_code: reason,
    facts,
  } = verifyDocumentImage({ development: true, documentTypes }, reading, judgedAt);
  const fields: Record<string, { value?: unknown }> = Object(facts['fields']);
  const wrong = Object.keys(one.truth).filter(
    (name) => Object.hasOwn(facts, 'fields') && fields[name]?.value !== one.truth[name],
  );
  const { name, condition } = one;
  return { name, condition, verdict, reason, wrong, ms: Math.round(performance.now() - begun) };
}
