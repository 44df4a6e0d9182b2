import { X509Certificate } from 'node:crypto';
import { readCms } from '../../pki/cms/read-cms.ts';
import { oids } from '../../pki/cms/write-cms.ts';
import { contentsIn, signedRangesOf } from './signed-range.ts';

/** What a file stands on: its seal, the time stamp of that, and the last over the whole file. */
export interface Signed {
  readonly seal: Buffer;
  readonly token: Buffer | null;
  readonly last: Buffer | null;
  /** Whether an archive before the last one vouches for what was before that. */
  readonly isArchivedAgain: boolean;
}

/** Takes the signatures out of a file that verifies. */
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

/** The certificates of a signature, DER. */
export const chainOf = (cms: Buffer): Uint8Array[] =>
  readCms(cms).certificates.map(({ raw }) => raw);

/** The serials of all certificates that its signatures bring, in hexadecimal. */
export function serialsIn({ seal, token, last }: Signed): string[] {
  const chains = [seal, token, last].flatMap((cms) => (cms ? chainOf(cms) : []));
  const serials = chains.map((der) => new X509Certificate(der).serialNumber.toLowerCase());
  return [...new Set(serials)];
}
