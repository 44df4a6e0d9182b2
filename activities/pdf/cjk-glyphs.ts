import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fontkit, { type Font } from '@cantoo/fontkit';
import { drawnFamilies, type DrawnFamily } from './renderer-id.ts';

/** The glyph of one character: a filled path in PDF operators, in thousandths of the font size. */
export interface Outline {
  readonly width: number;
  readonly box: readonly [number, number, number, number];
  readonly path: string;
}

const require = createRequire(import.meta.url);
const weight = 400;
const openMax = 8;
const rememberedMax = 4_096;

/**
 * A family has ten megabytes in a hundred files (slices). The index of a family is read once per
 * process. A slice is opened when a document first needs it.
 */
const indexes = new Map<DrawnFamily, ReadonlyMap<number, string>>();
const open = new Map<string, Font>();
const remembered = new Map<string, Outline | null>();

/** Returns the outline of a character from the first family that has it; null where none has it. */
export function outlineOf(char: string, families: readonly DrawnFamily[]): Outline | null {
  for (const family of families) {
    const key = `${family}${char}`;
    let outline = remembered.get(key);
    if (outline === undefined) {
      outline = readOutline(char.codePointAt(0) ?? 0, family);
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(key, outline);
    }
    if (outline) return outline;
  }
  return null;
}

function readOutline(point: number, family: DrawnFamily): Outline | null {
  const slice = indexOf(family).get(point);
  if (slice === undefined) return null;
  const font = openSlice(`${drawnFamilies[family]}/files/${family}-${slice}-wght-normal.woff2`);
  const glyph = font.hasGlyphForCodePoint(point) ? font.glyphForCodePoint(point) : null;
  if (!glyph) return null;
  const scale = 1000 / font.unitsPerEm;
  const { minX, minY, maxX, maxY } = glyph.path.bbox;
  return {
    width: Math.round(glyph.advanceWidth * scale),
    box: [
      Math.floor(minX * scale),
      Math.floor(minY * scale),
      Math.ceil(maxX * scale),
      Math.ceil(maxY * scale),
    ],
    path: pathOf(glyph.path.commands, scale),
  };
}

function openSlice(file: string): Font {
  const known = open.get(file);
  if (known) return known;
  const font = fontkit.create(readFileSync(require.resolve(file)));
  if (!('getVariation' in font)) throw new Error('a font file holds a collection');
  const made = font.getVariation({ wght: weight });
  for (const oldest of [...open.keys()].slice(0, open.size - openMax + 1)) open.delete(oldest);
  open.set(file, made);
  return made;
}

/** Maps code points to numbered slices. Slices with a name hold Latin and similar scripts. */
function indexOf(family: DrawnFamily): ReadonlyMap<number, string> {
  const known = indexes.get(family);
  if (known) return known;
  const path = require.resolve(`${drawnFamilies[family]}/unicode.json`);
  const ranges: Record<string, string> = JSON.parse(readFileSync(path, 'utf8'));
  const index = new Map<number, string>();
  for (const [name, list] of Object.entries(ranges)) {
    const slice = /^\[(\d+)\]$/.exec(name)?.[1];
    if (slice === undefined) continue;
    for (const [, from = '', to = from] of list.matchAll(/U\+([\da-f]+)(?:-([\da-f]+))?/gi)) {
      for (let at = Number.parseInt(from, 16); at <= Number.parseInt(to, 16); at += 1) {
        index.set(at, slice);
      }
    }
  }
  indexes.set(family, index);
  return index;
}

interface Step {
  readonly command: string;
  readonly args: readonly number[];
}

/**
 * Converts a path to PDF operators. TrueType curves are quadratic, PDF has cubic ones only (ISO
 * 32000-1 §8.5.2).
 */
function pathOf(steps: readonly Step[], scale: number): string {
  const written: string[] = [];
  let [x, y] = [0, 0];
  const say = (operator: string, ...numbers: number[]): void => {
    written.push([...numbers.map((number) => Math.round(number * scale)), operator].join(' '));
    [x = 0, y = 0] = numbers.slice(-2);
  };
  for (const { command, args } of steps) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args;
    if (command === 'moveTo') say('m', a, b);
    else if (command === 'lineTo') say('l', a, b);
    else if (command === 'quadraticCurveTo') {
      const third = (from: number, to: number): number => from + (2 / 3) * (to - from);
      say('c', third(x, a), third(y, b), third(c, a), third(d, b), c, d);
    } else if (command === 'bezierCurveTo') say('c', a, b, c, d, e, f);
    else written.push('h');
  }
  return [...written, 'f'].join('\n');
}
