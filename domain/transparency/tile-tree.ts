import { emptyRoot, joinHashes, nodeHash, placesOf, type Place, type TreeHead } from './merkle.ts';
import { tilePathOf, tileWidth } from './tile.ts';

/** Returns the bytes of a tile by its path, `<L>/<N>[.p/<W>]`; null if it does not exist. */
export type ReadTile = (path: string) => Promise<Uint8Array | null>;

/** Tiles that are unavailable or do not match the checkpoint. They prove nothing. */
export class TilesUnusable extends Error {
  override readonly name = 'TilesUnusable';
}

/** Levels of the tree in one tile. */
const heightOfTile = 8;
const hashBytes = 32;

/**
 * Whether a tree extends an earlier one, by the tiles of the later. The tiles must give its root,
 * and the root of the earlier tree (C2SP tlog-tiles).
 * @throws TilesUnusable
 */
export async function goesOn(before: TreeHead, after: TreeHead, read: ReadTile): Promise<boolean> {
  if (before.size > after.size) return false;
  const tree = tilesOf(after.size, read);
  if (!(await tree.root(after.size)).equals(after.root)) {
    throw new TilesUnusable('the tiles are not those of the checkpoint');
  }
  return (await tree.root(before.size)).equals(before.root);
}

/** Computes roots of a tree of `treeSize` leaves from its tiles; reads each tile once. */
function tilesOf(treeSize: number, read: ReadTile) {
  const known = new Map<string, Promise<Uint8Array>>();
  const tile = (level: number, index: number): Promise<Uint8Array> => {
    const has = Math.floor(treeSize / tileWidth ** level) - index * tileWidth;
    const path = tilePathOf({ level, index, width: Math.min(tileWidth, has) });
    const found = known.get(path) ?? whole(read, path, Math.min(tileWidth, has));
    known.set(path, found);
    return found;
  };
  const hashOf = async ({ level, index }: Place): Promise<Buffer> => {
    const tileLevel = Math.floor(level / heightOfTile);
    const count = 2 ** (level % heightOfTile);
    const first = index * count;
    const bytes = await tile(tileLevel, Math.floor(first / tileWidth));
    return perfectRoot(bytes, first % tileWidth, count);
  };
  return {
    async root(size: number): Promise<Buffer> {
      if (size === 0) return emptyRoot;
      return joinHashes(await Promise.all(placesOf({ start: 0, end: size }).map(hashOf)));
    },
  };
}

/** A partial tile may be deleted once the full tile exists, which begins with the same hashes. */
async function whole(read: ReadTile, path: string, width: number): Promise<Uint8Array> {
  const bytes = (await read(path)) ?? (await read(path.replace(/\.p\/\d+$/, '')));
  const isTile = bytes?.length === width * hashBytes || bytes?.length === tileWidth * hashBytes;
  if (!bytes || !isTile) throw new TilesUnusable(`there is no tile ${path}`);
  return bytes;
}

/** Returns the root over a power of two of hashes in a tile. */
function perfectRoot(tile: Uint8Array, first: number, count: number): Buffer {
  if (count === 1) return Buffer.from(tile.subarray(first * hashBytes, (first + 1) * hashBytes));
  const half = count / 2;
  return nodeHash(perfectRoot(tile, first, half), perfectRoot(tile, first + half, half));
}
