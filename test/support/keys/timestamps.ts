import { createHash } from 'node:crypto';
import * as der from '../../../domain/pki/write-der.ts';

export const queryType = { 'content-type': 'application/timestamp-query' } as const;
export const sha256 = '2.16.840.1.101.3.4.2.1';

/** MessageImprint of a text (RFC 3161 §2.4.1). */
export function imprintOf(text: string, hash = sha256): Buffer {
  const digest = createHash('sha256').update(text).digest();
  return der.sequence(der.sequence(der.oid(hash)), der.octets(digest));
}

/** A time-stamp query, with `more` after its imprint. */
export const timestampQuery = (...more: Uint8Array[]): Buffer =>
  der.sequence(der.integer(1), imprintOf('something'), ...more);
