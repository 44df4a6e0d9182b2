import { X509Certificate } from 'node:crypto';
import { readCms } from '../../pki/cms/read-cms.ts';
import { oids } from '../../pki/cms/write-cms.ts';
import { contentsIn, signedRangesOf } from './signed-range.ts';

/**
 * The signatures of a file: its seal, the seal's time stamp, and the last one over the whole file.
 */
export interface Signed {
  readonly seal: Buffer;
  readonly token: Buffer | null;
  readonly last: Buffer | null;
  /** Whether an earlier archive covers the seal and its time stamp. */
  readonly isArchivedAgain: boolean;
}

/** Extracts the signatures of a file that verifies. */
export function signedIn(file: Uint8Array): Signed {
  const pdf = Buffer.from(file);
  const ranges = signedRangesOf(pdf);
  const seal = ranges && contentsIn(pdf, ranges.hole);
  if (!seal) throw new Error('a file that verifies has no seal');
  const archive = ranges.archives.at(-1);
  return {
    seal,
    token: readCms(seal).unsigned.get(oids.timeStampToken) ?? null,
    last: archive ? contentsIn(pdf, archive.hole) : null,
    isArchivedAgain: ranges.archives.length > 1,
  };
}

/** Returns the certificates of a signature, DER. */
export const chainOf = (cms: Buffer): Uint8Array[] =>
  readCms(cms).certificates.map(({ raw }) => raw);

/** Returns the serials of all certificates in its signatures, in hexadecimal. */
export function serialsIn({ seal, token, last }: Signed): string[] {
  const chains = [seal, token, last].flatMap((cms) => (cms ? chainOf(cms) : []));
  const serials = chains.map((der) => new X509Certificate(der).serialNumber.toLowerCase());
  return [...new Set(serials)];
}
