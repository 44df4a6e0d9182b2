import { createHash } from 'node:crypto';
import type { Signer } from '../certificates/signer.ts';
import { attribute, oids, signCms } from './cms.ts';
import { sealBytesMax } from './empty-seal.ts';
import type { TimestampAuthority } from './timestamp.ts';

/**
 * Seals a rendered affidavit: PAdES baseline with a signature time stamp (B-T). The byte range
 * covers the whole file but the hole. A later form adds validation data and a document time stamp
 * as revisions after this one.
 */
export async function sealAffidavit(
  rendered: Uint8Array,
  signer: Signer,
  authority: TimestampAuthority,
): Promise<Buffer> {
  const pdf = Buffer.from(rendered);
  const hole = findHole(pdf);
  const range = [0, hole.start, hole.end, pdf.length - hole.end];
  writeRange(pdf, range);
  const covered = Buffer.concat([pdf.subarray(0, hole.start), pdf.subarray(hole.end)]);
  const cms = await signCms({
    signer,
    content: covered,
    contentType: oids.data,
    isDetached: true,
    unsigned: async (signature) => {
      const token = await authority.stamp(createHash('sha256').update(signature).digest());
      return [attribute(oids.timeStampToken, token)];
    },
  });
  if (cms.length > sealBytesMax) throw new Error('the seal does not fit its place');
  pdf.write(cms.toString('hex'), hole.start + 1, 'latin1');
  return pdf;
}

/** The place of `<000…>`: the only run of zeros of that length. */
function findHole(pdf: Buffer): { start: number; end: number } {
  const zeros = `<${'0'.repeat(sealBytesMax * 2)}>`;
  const start = pdf.indexOf(zeros, 0, 'latin1');
  if (start < 0) throw new Error('there is no empty seal');
  return { start, end: start + zeros.length };
}

function writeRange(pdf: Buffer, range: readonly number[]): void {
  const at = pdf.indexOf('/ByteRange [', 0, 'latin1');
  const end = pdf.indexOf(']', at, 'latin1');
  const text = `/ByteRange [${range.join(' ')}`;
  if (at < 0 || text.length > end - at) throw new Error('the byte range does not fit its place');
  pdf.write(text.padEnd(end - at, ' '), at, 'latin1');
}
