import { countOf } from './checkpoint.ts';

/** Hashes, or entries, in a full tile. */
export const tileWidth = 256;
/** Highest tile level at which indices are exact integers. */
const levelMax = 6;

/** A tile of the tree, or a bundle of entries (C2SP tlog-tiles). */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

/** Parses the path of a tile; null if it names none. */
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

/** Returns the path of a tile. */
export function tilePathOf({ level, index, width }: Tile): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const elements = padded.match(/\d{3}/g) ?? [];
  const led = elements.map((element, at) => (at < elements.length - 1 ? `x${element}` : element));
  return `${level}/${led.join('/')}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** `x001/x234/067` is 1234067; any other spelling is refused. */
function indexOf(elements: readonly string[]): number | null {
  const isLed = elements.slice(0, -1).every((element) => /^x\d{3}$/.test(element));
  if (!isLed || elements.length > 5 || !/^\d{3}$/.test(elements.at(-1) ?? '')) return null;
  if (elements.length > 1 && elements[0] === 'x000') return null;
  const index = Number(elements.map((element) => element.slice(-3)).join(''));
  return Number.isSafeInteger(index * tileWidth) ? index : null;
}
