import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../domain/transparency/entry.ts';
import { judgeGrowth } from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { inclusionRanges, leafHash, type TreeHead } from '../../../domain/transparency/merkle.ts';
import { encodeProof } from '../../../domain/transparency/proof-file.ts';
import { goesOn, TilesUnusable, type ReadTile } from '../../../domain/transparency/tile-tree.ts';
import { parseTile } from '../../../domain/transparency/tile.ts';
import { grown, naiveRoot, treeOf } from '../../support/fixtures/affidavits/naive.ts';

const sizeMax = 66_000;
const affidavit = {
  affidavit_id: 'aff_00000000000000000000000001',
  sha256: 'ab'.repeat(32),
  sealed_at: new Date('2026-11-20T10:00:00Z'),
};
const leaves = treeOf(sizeMax).with(0, leafHash(entryOf(affidavit)));
const hashOf = grown(leaves);
const headOf = (size: number): TreeHead => ({ size, root: hashOf({ start: 0, end: size }) });

/** The tiles of a log of this size on a strict server: no partial tile beside a full one. */
const tilesOf =
  (size: number, bend = (hash: Buffer) => hash): ReadTile =>
  async (path) => {
    const tile = parseTile(path.split('/'));
    if (!tile || tile.level === 'entries') throw new Error(`no path of a tile: ${path}`);
    const of = 256 ** tile.level;
    const has = Math.min(256, Math.floor(size / of) - tile.index * 256);
    if (tile.width !== has) return null;
    const hashes = Array.from({ length: has }, (_, at) => {
      const start = (tile.index * 256 + at) * of;
      return bend(hashOf({ start, end: start + of }));
    });
    return Buffer.concat(hashes);
  };

describe('the tiles of a log', () => {
  it('prove the growth from every earlier checkpoint, and from no other tree', async () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 600 }),
      fc.integer({ min: 65_000, max: sizeMax }),
    );
    await fc.assert(
      fc.asyncProperty(size, size, async (one, two) => {
        const [small, large] = one < two ? [one, two] : [two, one];
        const [before, after] = [headOf(small), headOf(large)];
        if (large <= 600) expect(naiveRoot(leaves.slice(0, large))).toEqual(after.root);
        expect(await goesOn(before, after, tilesOf(large))).toBe(true);
        if (small === large) return;
        expect(await goesOn({ ...before, root: after.root }, after, tilesOf(large))).toBe(false);
        expect(await goesOn(after, before, tilesOf(large))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('may include the full tile instead of a partial one', async () => {
    expect(await goesOn(headOf(3), headOf(255), tilesOf(600))).toBe(true);
  });

  it.each<[string, ReadTile]>([
    ['missing', async () => null],
    ['cut short', async (path) => (await tilesOf(300)(path))?.subarray(1) ?? null],
    ['empty', async () => Buffer.alloc(0)],
    ['too long', async () => Buffer.alloc(300 * 32)],
    ['of another log', tilesOf(300, (hash) => leafHash(hash))],
  ])('prove nothing when they are %s', async (_what, read) => {
    await expect(goesOn(headOf(5), headOf(300), read)).rejects.toThrow(TilesUnusable);
  });

  it('show whether the tree of a proof and a known tree are one, in either order', async () => {
    const signer = createLogSigner(Buffer.alloc(32, 7), 'log.example/tiles');
    const proofAt = async (size: number) =>
      encodeProof({
        index: 0,
        path: inclusionRanges(0, size).map(hashOf),
        checkpoint: await signLogCheckpoint(signer, headOf(size)),
      });
    const judged = async (size: number, known: TreeHead, read = tilesOf(300)) => {
      const trust = { log: signer.key, witnesses: [], known };
      return judgeGrowth(await proofAt(size), affidavit, trust, read);
    };
    expect(await judged(300, headOf(20))).toBeNull();
    expect(await judged(20, headOf(300))).toBeNull();
    expect(await judged(300, headOf(300))).toBeNull();
    const other = { size: 20, root: leafHash('another') };
    expect(await judged(300, other)).toBe('log_forked');
    expect(await judged(300, { ...other, size: 300 })).toBe('log_forked');
    await expect(judged(20, { ...other, size: 300 })).rejects.toThrow(TilesUnusable);
    const never: ReadTile = () => Promise.reject(new Error('asked'));
    const trust = { log: signer.key, witnesses: [], known: other };
    expect(await judgeGrowth('no proof', affidavit, trust, never)).toBe('log_proof_malformed');
  });
});
