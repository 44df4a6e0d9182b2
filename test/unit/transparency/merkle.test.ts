import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  isConsistent,
  joinHashes,
  leafHash,
  leftOf,
  placesOf,
  rootByInclusion,
} from '../../../domain/transparency/merkle.ts';
import { grown, naiveRoot, treeOf } from '../../support/fixtures/affidavits/naive.ts';

/** The eight leaves and roots from the tests of the RFC 6962 reference implementation. */
const published = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  [
    '606162636465666768696a6b6c6d6e6f',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ],
] as const;
const leaves = published.map(([hex]) => leafHash(Buffer.from(hex, 'hex')));

/** PATH of RFC 6962 §2.1.1. */
function naivePath(index: number, of: readonly Buffer[]): Buffer[] {
  if (of.length === 1) return [];
  let split = 1;
  while (split * 2 < of.length) split *= 2;
  return index < split
    ? [...naivePath(index, of.slice(0, split)), naiveRoot(of.slice(split))]
    : [...naivePath(index - split, of.slice(split)), naiveRoot(of.slice(0, split))];
}

/** SUBPROOF of RFC 6962 §2.1.2. */
function naiveSubproof(before: number, of: readonly Buffer[], isWhole: boolean): Buffer[] {
  if (before === of.length) return isWhole ? [] : [naiveRoot(of)];
  let split = 1;
  while (split * 2 < of.length) split *= 2;
  return before <= split
    ? [...naiveSubproof(before, of.slice(0, split), isWhole), naiveRoot(of.slice(split))]
    : [...naiveSubproof(before - split, of.slice(split), false), naiveRoot(of.slice(0, split))];
}

describe('the tree of RFC 6962', () => {
  it('has the published leaf hashes and roots', () => {
    expect(emptyRoot.toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    const hashOf = grown(leaves);
    const roots = published.map((_, at) => hashOf({ start: 0, end: at + 1 }).toString('hex'));
    expect(roots).toEqual(published.map(([, root]) => root));
    expect(joinHashes([])).toEqual(emptyRoot);
  });

  it('has the published proofs', () => {
    const hashOf = grown(leaves);
    const path = inclusionRanges(5, 8).map((range) => hashOf(range).toString('hex'));
    expect(path).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    const steps = consistencyRanges(6, 8).map((range) => hashOf(range).toString('hex'));
    expect(steps).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('has the same proofs as a naive implementation for every leaf and every growth', () => {
    const sizeMax = 40;
    const all = treeOf(sizeMax);
    const hashOf = grown(all);
    for (let size = 1; size <= sizeMax; size += 1) {
      const root = hashOf({ start: 0, end: size });
      const first = all.slice(0, size);
      expect(root).toEqual(naiveRoot(first));
      for (const [index, leaf] of first.entries()) {
        const path = inclusionRanges(index, size).map(hashOf);
        expect(path).toEqual(naivePath(index, first));
        expect(rootByInclusion(leaf, { index, size }, path)).toEqual(root);
      }
      for (let before = 0; before <= size; before += 1) {
        const path = consistencyRanges(before, size).map(hashOf);
        if (before > 0) expect(path).toEqual(naiveSubproof(before, first, true));
        const old = { size: before, root: hashOf({ start: 0, end: before }) };
        expect(isConsistent(old, { size, root }, path)).toBe(true);
      }
    }
  });

  it('refuses every altered proof', () => {
    const all = treeOf(200);
    const hashOf = grown(all);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: 4 }),
        (size, some, other, way) => {
          const index = some % size;
          const root = hashOf({ start: 0, end: size });
          const before = (some % (size - 1)) + 1;
          const old = { size: before, root: hashOf({ start: 0, end: before }) };
          const leaf = all[index] ?? emptyRoot;
          const bend = (path: Buffer[]) => bent(path, way, other);
          const path = bend(inclusionRanges(index, size).map(hashOf));
          expect(rootByInclusion(leaf, { index, size }, path)).not.toEqual(root);
          const steps = bend(consistencyRanges(before, size).map(hashOf));
          expect(isConsistent(old, { size, root }, steps)).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    [-1, 4],
    [4, 4],
    [0, 0],
    [Number.NaN, 4],
    [2 ** 60, 4],
  ])('has no leaf %d in a tree of size %d', (index, size) => {
    expect(rootByInclusion(emptyRoot, { index, size }, [])).toBeNull();
  });

  it('cannot shrink, and has one root per size', () => {
    const [one, two] = [1, 2].map((size) => ({ size, root: naiveRoot(treeOf(size)) }));
    if (!one || !two) throw new Error('no trees');
    expect(isConsistent(two, one, [])).toBe(false);
    expect(isConsistent(one, { ...one, root: two.root }, [])).toBe(false);
    expect(isConsistent(one, one, [one.root])).toBe(false);
    expect(isConsistent({ size: 0, root: one.root }, two, [])).toBe(false);
  });

  it('supports sizes beyond 32 bits', () => {
    const size = 2 ** 40 + 3;
    expect(placesOf({ start: 0, end: size })).toEqual([
      { level: 40, index: 0 },
      { level: 1, index: 2 ** 39 },
      { level: 0, index: 2 ** 40 + 2 },
    ]);
    expect(inclusionRanges(size - 1, size)).toEqual([
      { start: 2 ** 40, end: 2 ** 40 + 2 },
      { start: 0, end: 2 ** 40 },
    ]);
    expect(leftOf(2 ** 33 - 1)).toHaveLength(33);
  });
});

function bent(path: Buffer[], way: number, seed: number): Buffer[] {
  const extra = leafHash('nothing of it');
  const at = path.length === 0 ? 0 : seed % path.length;
  if (path.length === 0 || way === 0) return [...path, extra];
  if (way === 1) return path.toSpliced(at, 1);
  if (way === 2) return path.toSpliced(at, 1, extra);
  if (way === 3) return [extra, ...path];
  const flipped = Buffer.from(path[at] ?? extra);
  flipped[seed % 32] = (flipped[seed % 32] ?? 0) ^ 1;
  return path.toSpliced(at, 1, flipped);
}
