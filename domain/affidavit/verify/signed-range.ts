import { createHash } from 'node:crypto';
import { archiveBytesMax, archivesMax } from '../../pdf/signature/archive.ts';
import { sealBytesMax } from '../../pdf/signature/empty-seal.ts';
import type { Archive, SignatureGap } from './verdict.ts';

/** The holes of a file: the seal's, then those of document time stamps, in order. */
export interface SignedRanges {
  readonly hole: SignatureGap;
  readonly archives: readonly Archive[];
}

/**
 * Returns the byte ranges of a file: one `[0 b c d]` over the seal's revision except a hole of
 * hexadecimal digits. After it there may be archive revisions, each with a similar range over
 * everything before it. The last one covers the whole file. Null for any other structure.
 */
export function signedRangesOf(pdf: Buffer): SignedRanges | null {
  const text = pdf.toString('latin1');
  const archives: Archive[] = [];
  let hole: SignatureGap | null = null;
  let from = 0;
  for (const range of text.matchAll(/\/ByteRange\s{0,9}\[[^\]]{0,99}\]/g)) {
    const next = holeOf(text, range[0], hole ? archiveBytesMax : [sealBytesMax]);
    // Stops here, since a file can contain millions.
    if (!next || archives.length >= archivesMax) return null;
    if (range.index < from || next.hole.start < from) return null;
    if (hole) archives.push({ from, ...next, token: null, stampedAt: null, root: null });
    hole ??= next.hole;
    from = next.endsAt;
  }
  return hole && from === pdf.length ? { hole, archives } : null;
}

/** Accepts only our spelling: another PDF reader could parse other spellings as other numbers. */
const rangeForm = /^\/ByteRange \[0 ([1-9]\d{0,9}) ([1-9]\d{0,9}) (0|[1-9]\d{0,9}) *\]$/;

function holeOf(
  text: string,
  range: string,
  sizes: readonly number[],
): { readonly hole: SignatureGap; readonly endsAt: number } | null {
  const numbers = (rangeForm.exec(range) ?? []).slice(1).map(Number);
  const [start = 0, end = 0, rest = 0] = numbers;
  if (!sizes.some((size) => end - start === size * 2 + 2)) return null;
  if (end + rest > text.length || !/^<[0-9a-f]+>$/.test(text.slice(start, end))) return null;
  return { hole: { start, end }, endsAt: end + rest };
}

/** Returns the DER value in a hole; null if anything but zeros follows it. */
export function contentsIn(pdf: Buffer, { start, end }: SignatureGap): Buffer | null {
  const bytes = Buffer.from(pdf.subarray(start + 1, end - 1).toString('latin1'), 'hex');
  if (bytes[0] !== 0x30 || bytes[1] !== 0x82) throw new Error('not a signature');
  const length = 4 + bytes.readUInt16BE(2);
  return bytes.subarray(length).some((byte) => byte !== 0) ? null : bytes.subarray(0, length);
}

/** Returns the SHA-256 of a byte range: all before the hole, and all after it up to an offset. */
export function digestAround(pdf: Buffer, { start, end }: SignatureGap, endsAt: number): Buffer {
  return createHash('sha256')
    .update(pdf.subarray(0, start))
    .update(pdf.subarray(end, endsAt))
    .digest();
}
