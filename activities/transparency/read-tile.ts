import type { Db } from '../../db/client.ts';
import { readLogEntries, readLogNodes } from '../../db/queries/transparency.ts';
import { tileWidth, type Tile } from '../../domain/transparency/tile.ts';

const entryBytesMax = 65_535;

/** Returns the bytes of a tile; null where a log of that size does not have it. */
export async function readTile(db: Db, tile: Tile, size: number): Promise<Buffer | null> {
  const level = tile.level === 'entries' ? 0 : tile.level;
  const start = tile.index * tileWidth;
  const end = start + tile.width;
  if (end > Math.floor(size / tileWidth ** level)) return null;
  if (tile.level === 'entries') {
    const texts = await readLogEntries(db, start, end);
    return Buffer.concat(texts.flatMap((text) => [lengthOf(text), Buffer.from(text)]));
  }
  const places = Array.from({ length: tile.width }, (_, at) => ({
    level: level * 8,
    index: start + at,
  }));
  return Buffer.concat(await readLogNodes(db, places));
}

function lengthOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length > entryBytesMax) throw new Error('an entry is too long for a bundle');
  return Buffer.of(length >> 8, length & 0xff);
}
