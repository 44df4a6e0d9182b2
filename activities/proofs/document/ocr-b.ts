import { readFileSync } from 'node:fs';
import fontkit, { type Font } from '@cantoo/fontkit';
import type { Grey } from '../../../domain/images/grey.ts';

function openFont(): Font {
  const font = fontkit.create(readFileSync(new URL('fonts/OCRB.ttf', import.meta.url)));
  if (!('layout' in font)) throw new Error('a font file holds a collection');
  return font;
}

/** The typeface of every MRZ (ICAO 9303-3; ISO 1073-2). Source: fonts/README.md. */
export const ocrB = openFont();

/** A printed letter: 0 is dark, 1 is bright. Its width is the pitch. */
export interface Shape {
  readonly character: string;
  readonly data: Float32Array;
  readonly mean: number;
  readonly norm: number;
}

/** Size for comparing shapes, with a margin of bright paper around them. */
export const shapeHeight = 24;
/** Letters are 0.1 inch apart, and a capital is 0.094 inch high. */
export const pitchShare = capitalPitch();
export const shapeWidth = Math.round(shapeHeight * pitchShare);

function capitalPitch(): number {
  const { bbox, advanceWidth } = glyphOf('H');
  return advanceWidth / (bbox.maxY - bbox.minY);
}

function glyphOf(character: string) {
  const [glyph] = ocrB.layout(character).glyphs;
  if (!glyph) throw new Error('the font lacks a letter');
  return glyph;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<';

/** Every letter of an MRZ, drawn from its outline. */
export const shapes: readonly Shape[] = [...alphabet].map(shapeOf);

function shapeOf(character: string): Shape {
  const glyph = glyphOf(character);
  const capital = glyphOf('H').bbox;
  const scale = shapeHeight / (capital.maxY - capital.minY);
  const middle = (glyph.bbox.minX + glyph.bbox.maxX) / 2;
  const edges = edgesOf(glyph.path.commands).map((edge) =>
    edge.map(([x, y]): Place => [
      (x - middle) * scale + shapeWidth / 2,
      (capital.maxY - y) * scale,
    ]),
  );
  const data = new Float32Array(shapeWidth * shapeHeight);
  for (let row = 0; row < shapeHeight; row += 1) {
    const lines = [0, 1, 2, 3].map((line) => crossingsOf(edges, row + (line + 0.5) / 4));
    for (let column = 0; column < shapeWidth; column += 1) {
      data[row * shapeWidth + column] = 1 - coverOf(lines, column);
    }
  }
  return { character, ...normalised(softened(data)) };
}

type Place = readonly [number, number];

/** Returns the straight segments of an outline. Each curve becomes eight segments. */
function edgesOf(commands: readonly { command: string; args: number[] }[]): Place[][] {
  const edges: Place[][] = [];
  let [at, start]: [Place, Place] = [
    [0, 0],
    [0, 0],
  ];
  const lineTo = (to: Place): void => {
    edges.push([at, to]);
    at = to;
  };
  for (const { command, args } of commands) {
    const places = args.flatMap((x, index): Place[] =>
      index % 2 === 0 ? [[x, args[index + 1] ?? 0]] : [],
    );
    const [first = at] = places;
    if (command === 'moveTo') [at, start] = [first, first];
    else if (command === 'closePath') lineTo(start);
    else {
      const curve = [at, ...places];
      const steps = places.length > 1 ? 8 : 1;
      for (let step = 1; step <= steps; step += 1) lineTo(onCurve(curve, step / steps));
    }
  }
  return edges;
}

/** Returns a point of a line or curve (De Casteljau). */
function onCurve(places: readonly Place[], share: number): Place {
  const [first = [0, 0]] = places;
  if (places.length === 1) return first;
  const nearer = places.slice(1).map((to, index): Place => {
    const from = places[index] ?? to;
    return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
  });
  return onCurve(nearer, share);
}

/** Where an outline crosses a horizontal line, and in which direction. */
interface Crossing {
  readonly x: number;
  readonly turn: 1 | -1;
}

function crossingsOf(edges: readonly Place[][], y: number): Crossing[] {
  return edges.flatMap(([from, to]): Crossing[] => {
    if (!from || !to || from[1] > y === to[1] > y) return [];
    const x = from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0]);
    return [{ x, turn: to[1] > from[1] ? 1 : -1 }];
  });
}

/** Returns how much of a pixel is inside: 4 samples on each of 4 lines, by winding number. */
function coverOf(lines: readonly (readonly Crossing[])[], column: number): number {
  let inside = 0;
  for (const crossings of lines) {
    for (let sample = 0; sample < 4; sample += 1) {
      const x = column + (sample + 0.5) / 4;
      let winding = 0;
      for (const crossing of crossings) if (crossing.x > x) winding += crossing.turn;
      if (winding !== 0) inside += 1;
    }
  }
  return inside / 16;
}

/** Blurs the outline, because a camera never draws as sharply. */
function softened(data: Float32Array): Float32Array {
  const out = new Float32Array(data.length);
  for (let row = 0; row < shapeHeight; row += 1) {
    for (let column = 0; column < shapeWidth; column += 1) {
      let sum = 0;
      for (let dy = -1; dy <= 1; dy += 1) {
        for (let dx = -1; dx <= 1; dx += 1) {
          const [y, x] = [row + dy, column + dx];
          const isOut = y < 0 || x < 0 || y >= shapeHeight || x >= shapeWidth;
          sum += isOut ? 1 : (data[y * shapeWidth + x] ?? 1);
        }
      }
      out[row * shapeWidth + column] = sum / 9;
    }
  }
  return out;
}

function normalised(data: Float32Array): { data: Float32Array; mean: number; norm: number } {
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
  const norm = Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  return { data, mean, norm };
}

/** A strip's pixels at the place of one letter, with sums that all shapes need. */
export interface Window {
  readonly data: Float64Array;
  readonly sum: number;
  readonly spread: number;
}

/** Pixels outside of the strip are white. */
export function windowAt(strip: Grey, left: number, top: number): Window {
  const data = new Float64Array(shapeHeight * shapeWidth);
  let [sum, squares] = [0, 0];
  for (let row = 0; row < shapeHeight; row += 1) {
    const start = (top + row) * strip.width + left;
    for (let column = 0; column < shapeWidth; column += 1) {
      const value = strip.data[start + column] ?? 255;
      sum += value;
      squares += value * value;
      data[row * shapeWidth + column] = value;
    }
  }
  return { data, sum, spread: Math.sqrt(Math.max(1, squares - (sum * sum) / data.length)) };
}

/** Returns the similarity of a window and a shape, -1 to 1. */
export function likeness({ data, sum, spread }: Window, shape: Shape): number {
  const cover = shape.data;
  // Four independent sums run in parallel: most of a reading's time is spent here.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let index = 0; index < data.length; index += 4) {
    first += (data[index] ?? 0) * (cover[index] ?? 0);
    second += (data[index + 1] ?? 0) * (cover[index + 1] ?? 0);
    third += (data[index + 2] ?? 0) * (cover[index + 2] ?? 0);
    fourth += (data[index + 3] ?? 0) * (cover[index + 3] ?? 0);
  }
  const product = first + second + third + fourth;
  return (product - sum * shape.mean) / (spread * shape.norm);
}
