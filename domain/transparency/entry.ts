import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * The content of an affidavit's entry. All of it can be computed from the file, except the time of
 * a seal without a timestamp. That time is when the platform sealed it, which a proof states.
 */
export interface LoggedAffidavit {
  readonly affidavit_id: string;
  /** Of the file, in hex. */
  readonly sha256: string;
  readonly sealed_at: Date;
}

/**
 * Returns the canonical entry of an affidavit (RFC 8785). It names no account and no person. It
 * has a hash of the affidavit's id, since the id itself opens `/verify/{affidavit_id}`.
 */
export function entryOf({ affidavit_id, sha256, sealed_at }: LoggedAffidavit): string {
  const text = canonicalize({
    v: 1,
    type: 'affidavit',
    id_sha256: createHash('sha256').update(affidavit_id).digest('hex'),
    sha256,
    sealed_at: sealed_at.toISOString(),
  });
  if (text === undefined) throw new Error('an entry has no text');
  return text;
}

/** Returns the seal time in an entry; null if the text is not an entry. */
export function timeInEntry(text: string): Date | null {
  try {
    const { sealed_at: at } = Object(JSON.parse(text));
    const time = new Date(typeof at === 'string' ? at : Number.NaN);
    return Number.isNaN(time.getTime()) ? null : time;
  } catch {
    return null;
  }
}
