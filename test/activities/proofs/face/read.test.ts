import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { checkJpeg2000 } from '../../../../activities/proofs/face/jpeg2000.ts';
import { openModels } from '../../../../activities/proofs/face/models.ts';
import { around, readFaces, takeFaces } from '../../../../activities/proofs/face/read.ts';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import { nameImages } from '../../../../domain/evidence/binding.ts';
import { judgeAnyEvidence, judgeEvidence } from '../../../../domain/judging/judge.ts';
import type { ImageReaders } from '../../../../domain/judging/verifiers.ts';
import { usualPolicy, verifyFaceMatch } from '../../../../domain/proofs/face/verify-face-match.ts';
import { answerWithFace } from '../../../../simulator/face/face-frames.ts';
import { samplePeople } from '../../../../simulator/face/people.ts';
import { createThreads } from '../../../../workers/threads/pool.ts';
import { attacks } from '../../../support/fixtures/faces/attacks.ts';
import {
  challengeOf,
  judgeAnswer,
  judgedAt,
  unseen,
} from '../../../support/fixtures/faces/judge.ts';
import { specimenPerson } from '../../../support/fixtures/faces/specimen.ts';
import { seeded } from '../../../support/fixtures/seeded.ts';
import { outlivedOf, weaker } from '../../../unit/evidence/leaves.ts';

const specimen = await specimenPerson();
const [other = specimen] = await samplePeople(6, 1);
const actions = ['turn_left', 'look_down', 'open_mouth'] as const;
const frames = await answerWithFace(specimen.head, actions, { random: seeded(7) });
const answered = judgeAnswer(specimen.portrait, frames, actions);
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c0c0c0' } });
const jpeg = await plain(400, 300).jpeg().toBuffer();
const threads = createThreads({ threadsMax: 1, onBroken: () => {} });
afterAll(() => threads.stop());

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const { issuedAt, expiresAt } = challengeOf(actions);
const evidenceOf = (reader: string, portrait: Uint8Array, images: readonly Uint8Array[]) => ({
  format: 'trustcheck-evidence/1',
  kind: 'face-match',
  at: judgedAt.toISOString(),
  policy: { ...usualPolicy, reader },
  input: {
    portrait: base64(portrait),
    portrait_of: 'a'.repeat(64),
    frames: frames.map(({ atMs, action }, index) => ({
      image: base64(images[index] ?? new Uint8Array()),
      at_ms: atMs,
      action,
    })),
    challenge: {
      actions,
      issued_at: issuedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    },
    repeats: unseen,
  },
});

/**
 * Members that alone decide nothing: a bound far from the face, a millisecond, a frame at the edge
 * of two actions. The verdict depends on all of them together.
 */
const isLittle =
  /^(policy\.bounds\.\w+ (altered|lowered)|input\.frames\.\d+\.(at_ms|action) (altered|lowered))$/;

// Hundreds of comparisons and every attack: `npm run faces`.
describe('a JPEG 2000 portrait and frames of the same person', () => {
  test('pass in a thread, in this process and from stored evidence, without leaks', async () => {
    const { images, reading, verdict } = await answered;
    expect(verdict).toMatchObject({
      verdict: 'passed',
      facts: {
        frames_used: frames.length,
        reader: expect.stringMatching(/^face-reader\/2 [0-9a-f]{64}$/),
      },
    });
    const models = await openModels();
    const held = models.held();
    const kept = evidenceOf(reading.reader, images.portrait, images.frames);
    expect(JSON.stringify(await judgeAnyEvidence(kept, imageReaders))).toBe(
      JSON.stringify(verdict),
    );
    expect(models.held()).toBe(held);
    expect(() => judgeEvidence(kept)).toThrow(TypeError);
    const without = { ...kept, input: { ...kept.input, challenge: undefined } };
    expect(judgeEvidence(without)).toMatchObject({ verdict: 'failed', reason_code: 'malformed' });
    expect((await sharp(images.portrait).metadata()).format).toBe('jpeg');
    const two = frames.slice(0, 2);
    const there = await threads.takeFaces({ portrait: specimen.portrait, frames: two });
    expect(there.reading.portrait).toEqual(reading.portrait);
    expect(there.reading.frames).toEqual(reading.frames.slice(0, 2));
  });

  test('fail with the portrait of another person', async () => {
    // The frames were read above: the same images give the same reading.
    const { reading } = await takeFaces({ portrait: other.portrait, frames: [] });
    const both = { ...reading, frames: (await answered).reading.frames };
    const policy = { ...usualPolicy, reader: reading.reader };
    const given = { challenge: challengeOf(actions), frames, repeats: unseen };
    const verdict = verifyFaceMatch(policy, given, both, judgedAt);
    expect(verdict.reason_code).toBe('face_mismatch');
    expect(verdict.checks.at(-1)).toMatchObject({ name: 'liveness', result: 'ok' });
  });

  test('are judged or bound in every leaf of their evidence', async () => {
    const { images, reading } = await answered;
    const file = nameImages(evidenceOf(reading.reader, images.portrait, images.frames));
    // The same images give the same reading; changed images must fail before this call.
    const readers: ImageReaders = {
      readDocument: () => Promise.reject(new Error('no document')),
      readFaces(given) {
        const kept = [images.portrait, ...images.frames];
        const isSame = [given.portrait, ...given.frames].every((image, index) =>
          Buffer.from(kept[index] ?? '').equals(image),
        );
        expect(isSame).toBe(true);
        return Promise.resolve(reading);
      },
    };
    const outlived = await outlivedOf(file, readers);
    expect(outlived.filter((what) => !isLittle.test(what))).toEqual([
      'input.portrait_of altered',
      // A similar single frame of another session proves nothing.
      'input.repeats.near altered',
      ...weaker('reader', ['altered']),
    ]);
  });

  // One action shows the attack; another rule requires more actions of a genuine answer.
  test.each([
    ['a photograph, slanted', 'challenge_failed'],
    ['a photograph, then another person', 'identity_switch'],
  ])('fail for %s', async (name, reason) => {
    const asked = actions.slice(0, 1);
    const attack = attacks.find((each) => each.name === name);
    const made = await attack?.frames(specimen, other, asked, seeded(9));
    const { verdict } = await judgeAnswer(specimen.portrait, made ?? [], asked);
    expect([verdict.verdict, verdict.reason_code]).toEqual(['failed', reason]);
  });
});

describe('an invalid image', () => {
  const jp2 = readFileSync(new URL('../../../vectors/nfc-dg2-iso39794-face.jp2', import.meta.url));
  const started = jp2.indexOf(Buffer.from([0xff, 0x4f, 0xff, 0x51]));
  const coding = jp2.indexOf(Buffer.from([0xff, 0x52]), started);
  const withByte = (at: number, value: number): Buffer => {
    const changed = Buffer.from(jp2);
    changed[coding + at] = value;
    return changed;
  };
  const segment = (bytes: readonly number[]): Buffer =>
    Buffer.concat([jp2.subarray(0, coding), Buffer.from(bytes), jp2.subarray(coding)]);
  const small = [0xff, 0x52, 0, 14, 1, 0, 0, 1, 1, 1, 4, 4, 0, 1, 0x11, 0x11];
  test.each<[string, Buffer, string]>([
    ['layers', withByte(6, 1), 'too many layers'],
    ['levels', withByte(9, 11), 'too many levels'],
    ['small precincts', segment(small), 'precincts too small'],
    [
      'small precincts of a component',
      segment([0xff, 0x53, 0, 11, 0, 1, 1, 4, 4, 0, 1, 0x11, 0x11]),
      'precincts too small',
    ],
    [
      'changes of order',
      segment([0xff, 0x5f, 0, 9, 0, 0, 0, 1, 1, 0, 0]),
      'JPEG 2000 of changing order',
    ],
  ])('is refused before decoding when it is JPEG 2000 of many %s', (_, bytes, message) => {
    expect(() => checkJpeg2000(bytes)).toThrow(message);
  });

  test('has a face in its padding cut to the image', () => {
    const beside = { centre: { x: 900, y: -40 }, sidePx: 20 };
    const { left, top, width, height } = around(beside, 400, 300);
    expect([left, top, width, height]).toEqual([399, 0, 1, 1]);
  });

  const larger = Buffer.from(jp2);
  larger.writeUInt32BE(60_000, started + 8);
  test.each<[string, () => Promise<Uint8Array> | Uint8Array]>([
    ['nothing', () => new Uint8Array()],
    ['text', () => Buffer.from('<svg/>')],
    ['a JPEG by its first bytes alone', () => Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
    ['a JPEG cut off', () => jpeg.subarray(0, jpeg.length / 2)],
    ['a GIF', () => plain(400, 300).gif().toBuffer()],
    ['more bytes than are taken', () => Buffer.concat([jpeg, Buffer.alloc(10 * 1024 * 1024)])],
    ['JPEG 2000 cut off', () => jp2.subarray(0, 300)],
    ['JPEG 2000 without its picture', () => jp2.subarray(0, 60)],
    ['JPEG 2000 that says less than it holds', () => larger],
    ['JPEG 2000 of too many bytes', () => Buffer.concat([jp2, Buffer.alloc(1024 * 1024)])],
  ])('is refused and truncated: %s', async (_, make) => {
    const bytes = new Uint8Array(await make());
    const { images, reading } = await takeFaces({ portrait: bytes, frames: [{ image: bytes }] });
    expect([images.portrait.length <= 64, images.frames[0]?.length]).toEqual([
      true,
      Math.min(64, bytes.length),
    ]);
    for (const image of [reading.portrait, ...reading.frames]) {
      expect(image).toMatchObject({ faces: 0, face: null, refused: expect.any(String) });
    }
  });

  test('has no face when it shows none', async () => {
    const image = new Uint8Array(jpeg);
    const { images, reading } = await takeFaces({ portrait: image, frames: [{ image }] });
    expect(reading.portrait).toMatchObject({ refused: null, faces: 0, face: null });
    expect(reading.frames).toMatchObject([{ refused: null, faces: 0, face: null }]);
    expect(await readFaces(images)).toEqual(reading);
  });

  test('is not read after the thirteenth frame', async () => {
    const image = new Uint8Array(Buffer.from('none'));
    const many = Array.from({ length: 20 }, () => ({ image }));
    const { reading } = await takeFaces({ portrait: image, frames: many });
    expect(reading.frames.length).toBe(13);
  });
});
