import { element, integer } from '../der.ts';

/** Returns a big-endian number of `sizeBytes` bytes. */
export function number(sizeBytes: number, value: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  bytes.writeUIntBE(value, 0, sizeBytes);
  return bytes;
}

/** Values that replace the true ones in a record. */
export interface RecordChanges {
  readonly version?: string;
  readonly faces?: number;
  readonly points?: number;
  readonly lengthBy?: number;
  readonly faceLengthBy?: number;
}

/** Returns a facial record of ISO/IEC 19794-5:2005 with a picture. */
export function faceRecord(image: Uint8Array, changes: RecordChanges = {}): Buffer {
  const { version = '010\0', faces = 1, points = 2, lengthBy = 0, faceLengthBy = 0 } = changes;
  const faceLength = 20 + points * 8 + 12 + image.length;
  return Buffer.concat([
    Buffer.from('FAC\0', 'latin1'),
    Buffer.from(version, 'latin1'),
    number(4, 14 + faceLength + lengthBy),
    number(2, faces),
    number(4, faceLength + faceLengthBy),
    number(2, points),
    Buffer.alloc(14),
    Buffer.alloc(points * 8, 7),
    Buffer.alloc(12),
    image,
  ]);
}

const header = element(
  0xa1,
  element(0x87, Buffer.from([1, 1])),
  element(0x88, Buffer.from([0, 8])),
);

/** Returns an EF.DG2 with these biometric data blocks, one template each. */
export const dg2Of = (blocks: readonly Uint8Array[], count = blocks.length, tag = 0x5f2e): Buffer =>
  element(
    0x75,
    element(
      0x7f61,
      integer(count),
      ...blocks.map((block) => element(0x7f60, header, element(tag, block))),
    ),
  );
