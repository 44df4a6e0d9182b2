import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nameImages } from '../../../domain/evidence/binding.ts';
import { putBackImages, takeOutImages, withoutImages } from '../../../domain/evidence/images.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import { documentRules } from '../../../domain/proofs/document/rules.ts';

const base64 = (bytes: readonly number[] | string): string => Buffer.from(bytes).toString('base64');
const jpeg = base64([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
const png = base64([0x89, ...Buffer.from('PNG\r\n'), 0x1a, 0x0a, 4, 5, 6]);
const face = base64('a face in a format of its own');
const sha256Of = (text: string): string =>
  createHash('sha256').update(Buffer.from(text, 'base64')).digest('hex');

const fileOf = (input: unknown) =>
  nameImages({
    format: 'trustcheck-evidence/1',
    kind: 'document-image',
    at: '2026-11-22T00:00:00Z',
    policy: { rules: documentRules },
    input,
  });

describe('the images of an evidence file', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['include both sides of a document', { front: jpeg, back: png }, ['front', 'back']],
    ['include a side in an unknown format', { front: face }, ['front']],
    [
      'include face, fingers, eyes and pictures of a chip',
      {
        sod: base64('sod'),
        data_groups: { DG1: face, DG2: face, DG3: face, DG4: face, DG7: face },
      },
      ['data_groups.DG2', 'data_groups.DG3', 'data_groups.DG4', 'data_groups.DG7'],
    ],
    [
      'include a portrait, and frames in both forms',
      { portrait: face, frames: [face, { at_ms: 3, image: png }] },
      ['portrait', 'frames.0', 'frames.1.image'],
    ],
    ['include an image under another name', { taken: [[jpeg]] }, ['taken.0.0']],
    ['exclude texts that are not images', { front: '', back: 'no base64!', lines: ['P<UTO'] }, []],
    ['exclude another base64 spelling, which could not be restored', { front: `${jpeg}=` }, []],
  ])('%s', (_, input, paths) => {
    const file = fileOf(input);
    const { file: rest, places, images } = takeOutImages(file);
    expect(places.map(({ path }) => path.join('.'))).toEqual(paths.map((path) => `input.${path}`));
    for (const { sha256, size_bytes } of places)
      expect(images.get(sha256)).toHaveLength(size_bytes);
    const text = JSON.stringify(rest);
    if (paths.length > 0) expect([jpeg, png].filter((each) => text.includes(each))).toEqual([]);
    const whole = putBackImages(rest, places, (sha256) => images.get(sha256) ?? null);
    expect(JSON.stringify(whole)).toBe(JSON.stringify(file));
  });

  it('are kept once when they are equal, and are identified by their hash', () => {
    const { places, images } = takeOutImages(fileOf({ front: jpeg, back: jpeg }));
    expect(places).toHaveLength(2);
    expect([...images.keys()]).toEqual([sha256Of(jpeg)]);
  });

  it('are listed by path and hash after removal, and the verdict is inconclusive', () => {
    const { file, places } = takeOutImages(fileOf({ front: jpeg, back: png }));
    const gone = places.map((place) => ({
      ...place,
      removed_at: new Date('2026-11-29T00:00:00Z'),
    }));
    const left = withoutImages(file, gone);
    expect(left).toMatchObject({
      removed: [
        { path: 'input.front', sha256: sha256Of(jpeg), size_bytes: 7 },
        { path: 'input.back', sha256: sha256Of(png), removed_at: '2026-11-29T00:00:00.000Z' },
      ],
    });
    expect(judgeEvidence(left)).toEqual({
      format: 'trustcheck-verdict/1',
      kind: 'document-image',
      verdict: 'inconclusive',
      reason_code: 'evidence_removed',
      checks: [{ name: 'images', result: 'skipped', detail: '2 removed' }],
      facts: {},
    });
    expect(judgeEvidence({ ...left, removed: [] })).toMatchObject({
      reason_code: 'malformed',
      checks: [{ detail: 'input.front: missing' }],
    });
    const bad = [{ ...gone[0], sha256: 'none' }];
    expect(judgeEvidence({ ...left, removed: bad })).toMatchObject({ reason_code: 'malformed' });
  });
});
