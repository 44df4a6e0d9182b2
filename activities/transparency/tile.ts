import type { Db } from '../../db/client.ts';
import { readLogEntries, readLogNodes } from '../../db/queries/transparency.ts';
import { countOf } from './checkpoint.ts';

/** Hashes, or entries, of a full tile. */
export const tileWidth = 256;
/** Levels of tiles whose indices can be counted exactly. */
const levelMax = 6;
const entryBytesMax = 65_535;

/** A tile of the tree, or a bundle of entries (C2SP tlog-tiles). */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

/** The tile a path names; null for one that names none. */
export function parseTile(path: readonly string[]): Tile | null {
  const [level = '', ...rest] = path;
  const last = rest.at(-1) ?? '';
  const isPartial = rest.at(-2)?.endsWith('.p') === true;
  const partial = isPartial ? countOf(last) : tileWidth;
  const elements = isPartial ? rest.slice(0, -1).join('/').slice(0, -2).split('/') : rest;
  const index = indexOf(elements);
  const isWidth = partial !== null && partial > 0 && (!isPartial || partial < tileWidth);
  const at = level === 'entries' ? level : countOf(level);
  if (index === null || !isWidth || at === null || (at !== 'entries' && at > levelMax)) return null;
  return { level: at, index, width: partial };
}

/** The path that names a tile. */
export function tilePathOf({ level, index, width }: Tile): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const elements = padded.match(/\d{3}/g) ?? [];
  const led = elements.map((element, at) => (at < elements.length - 1 ? `x${element}` : element));
  return `${level}/${led.join('/')}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** `x001/x234/067` is 1234067: no other way to write a number is one. */
function indexOf(elements: readonly string[]): number | null {
  const isLed = elements.slice(0, -1).every((element) => /^x\d{3}$/.test(element));
  if (!isLed || elements.length > 5 || !/^\d{3}$/.test(elements.at(-1) ?? '')) return null;
  if (elements.length > 1 && elements[0] === 'x000') return null;
  const index = Number(elements.map((element) => element.slice(-3)).join(''));
  return Number.isSafeInteger(index * tileWidth) ? index : null;
}

/** The bytes of a tile; null where a log of that size has none. */
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
