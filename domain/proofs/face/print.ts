import type { Picture } from '../../images/grey.ts';
import { cutOut } from '../../images/picture.ts';

const side = 16;

/**
 * Returns a fingerprint of an image: for 256 pairs of adjacent squares, which one is brighter, in
 * hexadecimal. Images that differ only in their encoding differ in few pairs.
 */
export function printOf(picture: Picture): string {
  const { width, height } = picture;
  const centre = { x: width / 2, y: height / 2 };
  const cells = cutOut(picture, { centre, sidePx: Math.min(width, height), turn: 0 }, side * 4);
  const light = lightOf(cells);
  let print = '';
  for (let at = 0; at < side * side; at += 4) {
    let digit = 0;
    for (let bit = 0; bit < 4; bit += 1) {
      const [row, column] = [Math.trunc((at + bit) / side), (at + bit) % side];
      const next = light[row * side + ((column + 1) % side)] ?? 0;
      if ((light[row * side + column] ?? 0) > next) digit |= 1 << bit;
    }
    print += digit.toString(16);
  }
  return print;
}

/** Returns in how many of their 256 pairs two images differ. */
export function printsApart(one: string, other: string): number {
  let apart = 0;
  for (let at = 0; at < one.length; at += 1) {
    let differing = Number.parseInt(one[at] ?? '0', 16) ^ Number.parseInt(other[at] ?? '0', 16);
    for (; differing > 0; differing &= differing - 1) apart += 1;
  }
  return apart;
}

/** Returns squares that are the mean of 16 pixels, with equal weight for all three channels. */
function lightOf(pixels: Float32Array): Float32Array {
  const light = new Float32Array(side * side);
  for (let at = 0; at < pixels.length; at += 1) {
    const pixel = Math.trunc(at / 3);
    const row = Math.trunc(pixel / (side * 4));
    const column = pixel % (side * 4);
    const cell = Math.trunc(row / 4) * side + Math.trunc(column / 4);
    light[cell] = (light[cell] ?? 0) + (pixels[at] ?? 0);
  }
  return light;
}
