import type { ProofType } from '../../workflows/proofs.ts';
import type { Claims } from '../proofs/claims.ts';

/** The result of one proof that passed, or that a reviewer may still pass. */
export interface Proven {
  readonly proof: ProofType;
  readonly outcome: 'passed' | 'unsure';
  readonly claims: Claims;
  /** Facts of its verdict. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly judgedAt: Date;
  /** The device that signed the submission; null if unsigned or unknown. */
  readonly deviceId: string | null;
  /** Hash of its evidence; null if a sandbox subject passed it. */
  readonly evidenceHash: string | null;
  /**
   * Evidence hash of the proof that has the portrait the face was compared with; null for other
   * proofs.
   */
  readonly comparedWith: string | null;
}

/**
 * Returns the time of the statement behind a proof, in ms. For a phone it is the attestation or the
 * vendor's latest later statement (a token of Google Play or a receipt of Apple); for all other
 * proofs the time of judging.
 */
export function statedAt({ facts, judgedAt }: Proven): number {
  const statedTimes = [facts['attested_at'], facts['integrity_at']].flatMap((at) =>
    typeof at === 'string' ? [Date.parse(at)] : [],
  );
  return statedTimes.length > 0 ? Math.max(...statedTimes) : judgedAt.getTime();
}

/** Whether a face was compared with this portrait. Both are null only in the sandbox. */
export const isComparedWith = (
  { comparedWith }: Pick<Proven, 'comparedWith'>,
  { evidenceHash }: Pick<Proven, 'evidenceHash'>,
): boolean => comparedWith === evidenceHash;

/** Proofs by strength: with conflicting claims, a State's signature wins over an image. */
const strongestLast: readonly ProofType[] = ['document', 'nfc_passport', 'phone'];

/** Merges the claims of all proofs of a check; in a conflict, the stronger proof wins. */
export function claimsOf(proven: readonly Proven[]): Claims {
  const ordered = proven.toSorted((a, b) => rankOf(a) - rankOf(b));
  return Object.assign({}, ...ordered.map(({ claims }) => claims));
}

const rankOf = ({ proof }: Proven): number => strongestLast.indexOf(proof);

/** Identifies a document; `isChip` if a State's signature proves it. */
export interface PresentedDocument {
  readonly key: string;
  readonly isChip: boolean;
}

/** Returns the document of a check, from the strongest proof; null without one. */
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
