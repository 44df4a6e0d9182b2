import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  ImageRefused,
  readGrey,
  normalizeImage,
} from '../../../../activities/proofs/images/normalize-image.ts';
import { judgeLabelled } from '../../../support/fixtures/documents/judge.ts';
import { labelled } from '../../../support/fixtures/documents/labelled.ts';

/** Returns a chunk of a PNG (ISO/IEC 15948 §5.3). */
function chunk(type: string, ...data: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Returns the end of each segment of a JPEG up to its scan (ITU-T T.81 §B.1.1). */
function* segmentEnds(image: Buffer): Iterable<number> {
  let at = 2;
  for (let marker = 0; marker !== 0xffda; yield at) {
    marker = image.readUInt16BE(at);
    at += 2 + image.readUInt16BE(at + 2);
  }
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c0c0c0' } });
const jpeg = await plain(400, 300).jpeg().toBuffer();

describe('an uploaded image', () => {
  test('is converted: upright, bounded and without metadata', async () => {
    const exif = { IFD0: { Make: 'CAMERA-OF-SOMEBODY' } };
    const given = await plain(3000, 600).withMetadata({ orientation: 6, exif }).jpeg().toBuffer();
    const taken = await normalizeImage(given);
    expect(given.includes('CAMERA-OF-SOMEBODY')).toBe(true);
    expect(Buffer.from(taken).includes('CAMERA-OF-SOMEBODY')).toBe(false);
    const { width, height, orientation, exif: left } = await sharp(taken).metadata();
    expect([width, height, orientation, left]).toEqual([480, 2400, undefined, undefined]);
    expect(await normalizeImage(given)).toEqual(taken);
  });

  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"/>';
  test.each<[string, () => Promise<Uint8Array> | Uint8Array]>([
    ['nothing', () => new Uint8Array()],
    ['text', () => Buffer.from(svg)],
    ['a JPEG by its first bytes alone', () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
    ['a GIF', () => plain(400, 300).gif().toBuffer()],
    ['a TIFF', () => plain(400, 300).tiff().toBuffer()],
    ['a JPEG cut off', () => jpeg.subarray(0, jpeg.length / 2)],
    ['more bytes than are taken', () => Buffer.concat([jpeg, Buffer.alloc(10 * 1024 * 1024)])],
    ['more pixels than are taken', () => plain(8000, 7000).png().toBuffer()],
  ])('%s is refused', async (_, make) => {
    await expect(normalizeImage(await make())).rejects.toBeInstanceOf(ImageRefused);
  });

  test('is refused when it is a JPEG cut at any point', async () => {
    const ends = [...segmentEnds(jpeg)];
    expect(ends.length).toBeGreaterThan(5);
    const cuts = ends.flatMap((end) => [end - 1, end, end + 1]);
    const inScan = [0.1, 0.5, 0.9].map((share) => Math.floor(jpeg.length * share));
    for (const cut of [...cuts, ...inScan, jpeg.length - 2, jpeg.length - 1]) {
      const taken = await normalizeImage(jpeg.subarray(0, cut)).catch((error: unknown) => error);
      expect([cut, taken]).toEqual([cut, expect.any(ImageRefused)]);
    }
  });

  test('loses a program or archive that is appended to it', async () => {
    for (const rest of ['<script>alert(1)</script>', 'PK\u0003\u0004']) {
      const taken = await normalizeImage(Buffer.concat([jpeg, Buffer.from(rest)]));
      expect(Buffer.from(taken).includes(rest)).toBe(false);
    }
  });

  // 25 million pixels of 8 octets: decodable row by row, but 200 MB as a whole.
  test.each([
    ['is', 1, 'too large to be held whole'],
    ['is not', 0, 'cannot be decoded'],
  ])('is bounded by memory before it is decoded when it %s interlaced', async (_is, how, why) => {
    const start = Buffer.from('89504e470d0a1a0a', 'hex');
    const [side, kind] = [Buffer.from([0, 0, 0x13, 0x88]), Buffer.from([16, 6, 0, 0, how])];
    const parts = [chunk('IHDR', side, side, kind), chunk('IDAT', deflateSync(Buffer.alloc(99)))];
    const png = Buffer.concat([start, ...parts, chunk('IEND')]);
    await expect(normalizeImage(png)).rejects.toThrow(why);
  });

  test('is refused when it has too few pixels to read', async () => {
    await expect(readGrey(await plain(400, 100).jpeg().toBuffer())).rejects.toThrow('too few');
  });
});

// One photograph of each outcome; `npm run documents` judges hundreds.
test.each([
  [0, 'passed', null],
  [12, 'failed', 'cropped'],
  [22, 'failed', 'glare'],
  [36, 'failed', 'too_dark'],
  [37, 'failed', 'blur'],
  [312, 'passed', null],
  // A surname of two letters.
  [416, 'passed', null],
  // Identity cards on their side and upside down.
  [18, 'passed', null],
  [70, 'passed', null],
])('photograph %i of the labelled set is %s by %s', async (number, verdict, reason) => {
  const outcome = await judgeLabelled(await labelled(number));
  expect(outcome).toMatchObject({ verdict, reason, wrong: [] });
});

test('an identity card is read whichever side is photographed first', async () => {
  const card = await labelled(13);
  const { front, back = front } = card;
  const outcome = await judgeLabelled({ ...card, front: back, back: front });
  expect(outcome).toMatchObject({ verdict: 'passed', reason: null, wrong: [] });
});

test('a front and a barcode with different first names are a mismatch', async () => {
  const outcome = await judgeLabelled(await labelled(403));
  expect(outcome).toMatchObject({
    verdict: 'failed',
    reason: 'front_back_mismatch',
    wrong: ['given_names', 'full_name'],
  });
});
