import { number } from '../../../simulator/passport/face-record.ts';

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
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
