import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../../web/capture/grey.ts';
import { guideIn } from '../../../web/capture/guide.ts';
import { createMeter, createShutter, hintOf, type Hint } from '../../../web/capture/hints.ts';
import { filmed, truths } from '../../support/fixtures/documents/frames.ts';
import { seeded } from '../../support/fixtures/seeded.ts';

const frameOf = (width: number, height: number, valueAt: (at: number) => number): Frame => ({
  data: Uint8ClampedArray.from({ length: width * height * 4 }, (_, at) => valueAt(at)),
  width,
  height,
});

describe('hints', () => {
  it.each(truths.map((truth, number) => [String(truth), truth, number] as const))(
    'returns %s for a film drawn with that fault',
    async (_name, truth, number) => {
      const film = await filmed(number);
      const measure = createMeter();
      measure(film.frames[0], film.guide);
      expect(film.truth).toBe(truth);
      expect(hintOf(measure(film.frames[1], film.guide))).toBe(truth);
    },
  );

  it('is the same for a frame in grayscale', async () => {
    const { frames, guide } = await filmed(0);
    const { data, width, height } = frames[1];
    const grey = Uint8ClampedArray.from({ length: width * height }, (_, at) => {
      const [red = 0, green = 0, blue = 0] = data.subarray(at * 4, at * 4 + 3);
      return Math.floor((red * 77 + green * 150 + blue * 29) / 256);
    });
    const measured = createMeter()({ data: grey, width, height }, guide);
    expect(measured).toEqual(createMeter()(frames[1], guide));
  });

  it('names the fault that hides the others', () => {
    const good = { brightness: 180, movement: 0, sharpness: 0.9, glare: 0 };
    const sides = { found: 4, fill: 0.95, tilt: 0 };
    expect(hintOf({ ...good, ...sides })).toBe(null);
    expect(hintOf({ ...good, ...sides, tilt: -9, sharpness: 0.1 })).toBe('not_level');
    expect(hintOf({ ...good, ...sides, found: 2, movement: 0.1 })).toBe('moving');
    expect(hintOf({ ...good, ...sides, brightness: 20, movement: 0.1 })).toBe('too_dark');
  });

  it('ignores a previous frame of another size', async () => {
    const measure = createMeter();
    const card = await filmed(0);
    measure(
      frameOf(160, 120, (at) => at % 256),
      guideIn(160, 120, 'card'),
    );
    expect(measure(card.frames[1], card.guide).movement).toBe(0);
  });

  const random = seeded(5);
  it.each<[string, Frame, Hint]>([
    ['of no pixel', frameOf(0, 0, () => 0), 'too_dark'],
    ['of one pixel', frameOf(1, 1, () => 200), 'too_small'],
    ['of one row', frameOf(320, 1, () => 200), 'too_dark'],
    ['of one column', frameOf(1, 240, () => 200), 'too_dark'],
    ['of odd sides', frameOf(321, 239, () => 90), 'too_small'],
    ['that is black', frameOf(320, 240, () => 0), 'too_dark'],
    ['that is white', frameOf(320, 240, () => 255), 'too_small'],
    ['of noise', frameOf(320, 240, () => random() * 256), 'too_small'],
    ['with fewer bytes', { data: new Uint8ClampedArray(9), width: 320, height: 240 }, 'too_dark'],
  ])('returns a hint for a frame %s', (_name, frame, hint) => {
    const measure = createMeter();
    const guide = guideIn(frame.width, frame.height, 'passport_page');
    expect(hintOf(measure(frame, guide))).toBe(hint);
    const measured = measure(frame, guide);
    expect(Object.values(measured).every((value) => Number.isFinite(value))).toBe(true);
    const beyond = { x: -50, y: 900, width: 700, height: 2 };
    expect(() => hintOf(measure(frame, beyond))).not.toThrow();
  });
});

describe('the guide frame', () => {
  it.each([
    ['card', 320, 240, 85.6 / 54],
    ['passport_page', 320, 180, 125 / 88],
    ['card', 240, 320, 85.6 / 54],
  ] as const)(
    'of a %s in %i by %i has the ratio of the document and is centered',
    (shape, width, height, ratio) => {
      const guide = guideIn(width, height, shape);
      expect(guide.width / guide.height).toBeCloseTo(ratio);
      expect(guide.x * 2 + guide.width).toBeCloseTo(width);
      expect(guide.y * 2 + guide.height).toBeCloseTo(height);
      expect(Math.max(guide.width / width, guide.height / height)).toBeCloseTo(0.86);
    },
  );
});

describe('the automatic shutter', () => {
  it('is ready at the eighth frame in a row without a hint, then starts again', () => {
    const isReady = createShutter();
    const said = Array.from({ length: 16 }, () => isReady(null));
    expect(said.flatMap((ready, index) => (ready ? [index + 1] : []))).toEqual([8, 16]);
  });

  it('restarts the count after any hint', () => {
    const isReady = createShutter();
    for (const hint of truths.filter((each) => each !== null)) {
      for (let frame = 0; frame < 7; frame += 1) expect(isReady(null)).toBe(false);
      expect(isReady(hint)).toBe(false);
    }
  });
});

describe('the hints worker', () => {
  it('is at most 6 kB, minified and compressed', async () => {
    const entry = fileURLToPath(new URL('../../../web/capture/hints-worker.ts', import.meta.url));
    const made = await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });
    const [file] = made.outputFiles;
    expect(gzipSync(file?.contents ?? '').length).toBeLessThanOrEqual(6 * 1024);
    expect(file?.contents.length).toBeGreaterThan(1000);
  });
});
