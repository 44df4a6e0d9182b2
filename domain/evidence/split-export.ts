import { EvidenceFileError, fileBytesMax } from './file.ts';
import { scanStructure } from './scan-structure.ts';

const lineFeed = 0x0a;
/** Four times what twelve proofs with ten attempts of two files each need. */
const filesMax = 1000;

/**
 * Yields the evidence files of a saved text: one file in any layout, or one per line, as in an
 * export. If the first line is complete JSON, it is one per line. Holds one file in memory at a
 * time.
 * @throws `EvidenceFileError` if a file is over 32 MiB or there are more than a thousand
 */
export async function* splitExport(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let spaceBytes = 0;
  let isByLine: boolean | null = null;
  let count = 0;
  const take = (): Uint8Array => {
    sizeBytes = 0;
    count += 1;
    if (count > filesMax) throw new EvidenceFileError(`over ${filesMax} files in one`);
    return Buffer.concat(parts.splice(0));
  };
  for await (const piece of pieces) {
    let start = 0;
    while (start < piece.length) {
      if (sizeBytes === 0) {
        const from = start;
        start = skipSpace(piece, from);
        spaceBytes += start - from;
        if (spaceBytes > fileBytesMax) throw new EvidenceFileError('over 32 MiB of white space');
      }
      const end = isByLine === false ? -1 : piece.indexOf(lineFeed, start);
      const part = piece.subarray(start, end < 0 ? piece.length : end + 1);
      start += part.length;
      sizeBytes += part.length;
      if (sizeBytes > fileBytesMax) throw new EvidenceFileError('the file is over 32 MiB');
      parts.push(part);
      if (end >= 0) isByLine ??= scanStructure(Buffer.concat(parts)).isClosed;
      if (end >= 0 && isByLine) yield take();
    }
  }
  if (sizeBytes > 0) yield take();
  if (count === 0) throw new EvidenceFileError('the file is empty');
}

/** Returns the index of the next byte that is not JSON whitespace (RFC 8259 §2). */
function skipSpace(bytes: Uint8Array, from: number): number {
  let index = from;
  while (index < bytes.length && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[index] ?? 0)) index += 1;
  return index;
}
