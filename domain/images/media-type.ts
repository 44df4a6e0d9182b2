interface Magic {
  readonly type: string;
  readonly at: number;
  readonly bytes: readonly number[];
}

const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

const magics: readonly Magic[] = [
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/png', at: 0, bytes: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] },
  { type: 'image/webp', at: 8, bytes: ascii('WEBP') },
  { type: 'image/heic', at: 4, bytes: ascii('ftypheic') },
  { type: 'image/jp2', at: 4, bytes: ascii('jP  \r\n') },
  { type: 'application/pdf', at: 0, bytes: ascii('%PDF-') },
];

/** Outer tags of EF.SOD and EF.DG1 to EF.DG16 (ICAO 9303-10, table of data group tags). */
const chipFileTags = new Set([
  0x77, 0x61, 0x75, 0x63, 0x76, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
  0x70,
]);

/** Not SVG: it is a document that can hold scripts and name other files. */
const decodedTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** Whether the first bytes are those of an image that this service decodes. */
export const isDecodedImage = (bytes: Uint8Array): boolean => decodedTypes.has(mediaTypeOf(bytes));

/**
 * Returns the media type from the first bytes of a file; the sender's own claim is ignored. A file
 * of a chip is recognized by its tag; all other files are `application/octet-stream`.
 */
export function mediaTypeOf(bytes: Uint8Array): string {
  const known = magics.find((magic) =>
    magic.bytes.every((byte, index) => bytes[magic.at + index] === byte),
  );
  if (known) return known.type;
  return chipFileTags.has(bytes[0] ?? 0)
    ? 'application/vnd.trustcheck.chip-file'
    : 'application/octet-stream';
}
