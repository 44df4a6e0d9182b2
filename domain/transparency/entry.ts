import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What an entry says of an affidavit. All of it can be computed from the file, but the time of a
 * seal that nobody stamped: then it is when the platform had sealed it, which a proof tells.
 */
export interface LoggedAffidavit {
  readonly affidavit_id: string;
  /** Of the file, hex. */
  readonly sha256: string;
  readonly sealed_at: Date;
}

/**
 * The entry of an affidavit, canonical (RFC 8785). It names no account, no person and not even the
 * affidavit, whose number opens `/verify/{affidavit_id}`: the hash of its random bits stands there.
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

/** The time that a text names as an entry does; null for one that is no entry. */
export function timeInEntry(text: string): Date | null {
  try {
    const { sealed_at: at } = Object(JSON.parse(text));
    const time = new Date(typeof at === 'string' ? at : Number.NaN);
    return Number.isNaN(time.getTime()) ? null : time;
  } catch {
    return null;
  }
}
