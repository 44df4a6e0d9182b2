import type { ProofType } from '../../workflows/proofs.ts';
import type { Claims } from '../proofs/claims.ts';

/** What one proof of a check yielded that has passed, or that a reviewer may yet pass. */
export interface Proven {
  readonly proof: ProofType;
  readonly outcome: 'passed' | 'unsure';
  readonly claims: Claims;
  /** The facts of its verdict. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly judgedAt: Date;
  /** The device that signed the request it came with; null where none did, or none is known. */
  readonly deviceId: string | null;
  /** Of what it was judged on; null where a subject of the sandbox has it pass. */
  readonly evidenceHash: string | null;
  /** The evidence hash of the proof whose portrait a face was held against; null for all else. */
  readonly comparedWith: string | null;
}

/**
 * When what a proof rests on was said, in ms: of a phone when it was attested, or when its vendor
 * last spoke of it since, by a token of Google Play or a receipt of Apple; of all else when it was
 * judged.
 */
export function statedAt({ facts, judgedAt }: Proven): number {
  const told = [facts['attested_at'], facts['integrity_at']].flatMap((at) =>
    typeof at === 'string' ? [Date.parse(at)] : [],
  );
  return told.length > 0 ? Math.max(...told) : judgedAt.getTime();
}

/** Whether a face was held against this very portrait: both are null in the sandbox alone. */
export const isComparedWith = (
  { comparedWith }: Pick<Proven, 'comparedWith'>,
  { evidenceHash }: Pick<Proven, 'evidenceHash'>,
): boolean => comparedWith === evidenceHash;

/** Proofs whose claims win where several have the same one: a State's signature over an image. */
const strongestLast: readonly ProofType[] = ['document', 'nfc_passport', 'phone'];

/** What all proofs of a check say of its person; where two say different things, the stronger. */
export function claimsOf(proven: readonly Proven[]): Claims {
  const ordered = proven.toSorted((a, b) => rankOf(a) - rankOf(b));
  return Object.assign({}, ...ordered.map(({ claims }) => claims));
}

const rankOf = ({ proof }: Proven): number => strongestLast.indexOf(proof);

/** What a document is known by, and whether a State has signed it. */
export interface PresentedDocument {
  readonly key: string;
  readonly isChip: boolean;
}

/** The document of a check, the better proof of it first; null without one. */
export function documentOf(proven: readonly Proven[]): PresentedDocument | null {
  const documents = proven.toSorted((a, b) => rankOf(b) - rankOf(a));
  for (const { proof, claims, facts } of documents) {
    const number = facts['document_number_hash'];
    const { issuing_country: country, document_type: type } = claims;
    if (typeof number !== 'string' || !country || !type) continue;
    return { key: `${country}|${type}|${number}`, isChip: proof === 'nfc_passport' };
  }
  return null;
}
