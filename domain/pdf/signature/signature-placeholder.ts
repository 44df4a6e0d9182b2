import { rangeOpening, rangePlaceholder } from './empty-seal.ts';

/** The empty hole of a signature with its byte range written; the hole itself is not covered. */
export interface OpenPlaceholder {
  readonly pdf: Buffer;
  readonly covered: Buffer;
  /**
   * Writes a CMS into the hole and pads it with zeros.
   * @throws `PlaceholderTooSmall`
   */
  fill(cms: Uint8Array): Buffer;
}

/** A signature is larger than its reserved space. */
export class PlaceholderTooSmall extends Error {
  override readonly name = 'PlaceholderTooSmall';
}

/**
 * Opens the next empty hole of `bytesMax` bytes at or after an offset, in a copy of the file. Its
 * byte range covers the whole file except the hole (ISO 32000-1 §12.8.1). Throws if there is none.
 */
export function openPlaceholder(file: Uint8Array, bytesMax: number, from = 0): OpenPlaceholder {
  const pdf = Buffer.from(file);
  const zeros = `<${'0'.repeat(bytesMax * 2)}>`;
  const start = pdf.indexOf(zeros, from, 'latin1');
  if (start < 0) throw new Error('there is no empty place for a signature');
  const end = start + zeros.length;
  const at = pdf.indexOf(rangePlaceholder, from, 'latin1');
  if (at < 0) throw new Error('there is no byte range to be written');
  const range = rangeText(start, end, pdf.length);
  pdf.write(range, at, 'latin1');
  return {
    pdf,
    covered: Buffer.concat([pdf.subarray(0, start), pdf.subarray(end)]),
    fill(cms) {
      if (cms.length > bytesMax) {
        throw new PlaceholderTooSmall(
          `${cms.length} bytes do not fit the ${bytesMax} kept for them`,
        );
      }
      pdf.write(Buffer.from(cms).toString('hex'), start + 1, 'latin1');
      return pdf;
    },
  };
}

/** Returns the byte range around a hole, as wide as its placeholder. */
function rangeText(start: number, end: number, length: number): string {
  const text = `${rangeOpening}0 ${start} ${end} ${length - end}`;
  if (text.length >= rangePlaceholder.length) throw new Error('the file is too large to be signed');
  return `${text.padEnd(rangePlaceholder.length - 1, ' ')}]`;
}
