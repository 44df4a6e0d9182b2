import { element, integer } from '../../../cli/phone/passport-der.ts';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const number = (size: number, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};

/** A JPEG up to its frame header, which is all that is read of it: APP0, DQT, SOF0. */
export const jpeg = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
    Buffer.from('ffdb0043', 'hex'),
    Buffer.alloc(0x41, 1),
    Buffer.from('ffc0001108', 'hex'),
    number(2, height),
    number(2, width),
    Buffer.from('03012200021101031101', 'hex'),
    Buffer.from('ffd9', 'hex'),
  ]);

/** SOC and SIZ of a JPEG 2000 codestream, the image lying off the grid's corner. */
export const codestream = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('ff4fff5100290000', 'hex'),
    ...[width + 3, height + 5, 3, 5].map((value) => number(4, value)),
    Buffer.alloc(40),
  ]);

/** A JPEG 2000 file as far as its image header. */
export function jp2(width: number, height: number): Buffer {
  const box = (type: string, ...contents: Buffer[]): Buffer => {
    const body = Buffer.concat(contents);
    return Buffer.concat([number(4, body.length + 8), ascii(type), body]);
  };
  return Buffer.concat([
    box('jP  ', Buffer.from('0d0a870a', 'hex')),
    box('ftyp', ascii('jp2 '), Buffer.alloc(4), ascii('jp2 ')),
    box(
      'jp2h',
      box(
        'ihdr',
        number(4, height),
        number(4, width),
        Buffer.from('00030707000000', 'hex').subarray(0, 6),
      ),
    ),
    box('jp2c', codestream(width, height)),
  ]);
}

export interface RecordChanges {
  readonly version?: string;
  readonly faces?: number;
  readonly points?: number;
  readonly lengthBy?: number;
  readonly faceLengthBy?: number;
}

/** A facial record of ISO/IEC 19794-5:2005 around a picture. */
export function faceRecord(image: Uint8Array, changes: RecordChanges = {}): Buffer {
  const { version = '010\0', faces = 1, points = 2, lengthBy = 0, faceLengthBy = 0 } = changes;
  const faceLength = 20 + points * 8 + 12 + image.length;
  return Buffer.concat([
    ascii('FAC\0'),
    ascii(version),
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

/** EF.DG2 with these biometric data blocks, a template each. */
export const dg2Of = (blocks: readonly Uint8Array[], count = blocks.length, tag = 0x5f2e): Buffer =>
  element(
    0x75,
    element(
      0x7f61,
      integer(count),
      ...blocks.map((block) => element(0x7f60, header, element(tag, block))),
    ),
  );
