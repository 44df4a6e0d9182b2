import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../../activities/proofs/document/read.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';

let directory: Awaited<ReturnType<typeof ownDirectory>>;

beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(() => directory.remove());

const draw = (...words: string[]) => commandHere(directory.path, ['phone', 'document', ...words]);
const here = (name: string): string => join(directory.path, name);

async function redPart(path: string): Promise<number> {
  const { data, info } = await sharp(readFileSync(path))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = Array.from({ length: info.width * info.height }, (_, at) => 3 * at);
  const isRed = (at: number): boolean => (data[at] ?? 0) > 150 && (data[at + 1] ?? 0) < 80;
  return pixels.filter(isRed).length / pixels.length;
}

describe('phone document', () => {
  it('draws the specimen passport with the given portrait, readable by the document reader', async () => {
    const portrait = here('me.png');
    const create = { width: 800, height: 600, channels: 3, background: '#d01010' } as const;
    writeFileSync(portrait, await sharp({ create }).png().toBuffer());
    const out = here('drawn');
    const { code, stdout } = await draw('--portrait', portrait, '--out', out);
    const path = join(out, 'passport-front.jpg');
    expect([code, stdout]).toEqual([0, `${path}\n`]);
    const reading = await readDocument({ front: new Uint8Array(readFileSync(path)) });
    expect(JSON.stringify(reading)).toContain('L898902C3');
    expect(await redPart(path)).toBeGreaterThan(0.02);
  });

  it('draws both sides of a card with the portrait of the specimen', async () => {
    const { code, stdout } = await draw('--document', 'driving_licence', '--out', directory.path);
    const paths = ['front', 'back'].map((side) => here(`driving_licence-${side}.jpg`));
    expect([code, stdout]).toEqual([0, `${paths.join('\n')}\n`]);
    for (const path of paths)
      expect((await sharp(readFileSync(path)).metadata()).format).toBe('jpeg');
    expect(await redPart(here('driving_licence-front.jpg'))).toBeLessThan(0.001);
  });

  it.each([
    ['--document', 'visa', /--document: one of passport/],
    ['--portrait', 'nothing.jpg', /--portrait nothing\.jpg: cannot be read as a picture/],
  ])('refuses %s %s', async (option, value, fault) => {
    const { code, stderr } = await draw(option, value);
    expect(code).toBe(2);
    expect(stderr).toMatch(fault);
  });
});
