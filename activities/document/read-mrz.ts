import { MalformedMrz, readMrz, type MrzFormat } from '../passport/mrz.ts';
import { shrunk, turned, type Grey } from './grey.ts';
import { locateZones, type Zone } from './locate.ts';
import type { TextReader } from './ocr.ts';
import { letterRows, matchShapes } from './match-shapes.ts';
import { shapeHeight } from './ocr-b.ts';
import { kindsOf, mrzFormatOf, settleLine, settleNumber } from './settle-mrz.ts';
import { flipped, stripOf } from './strip.ts';

/** An MRZ that two readers agree on, as it was printed as far as a camera can tell. */
export interface MrzReading {
  readonly lines: readonly string[];
}

/** What was found of an MRZ: the zone itself, and where something like it lies. */
export interface MrzSearch {
  readonly reading: MrzReading | null;
  /** Something that looks like one was seen. */
  readonly isSeen: boolean;
  /** It reaches the edge of the photograph. */
  readonly isCut: boolean;
  /** Of its letters: how much of a stroke is neither dark nor bright, 0 to 1. */
  readonly softness: number;
}

/** The engine misreads in one size what it reads in another. */
const letterHeights = [30, 40, 35];
const searchSideMax = 1000;
const edgeShare = 0.012;
/** The same zone is often found in two ways; a third adds nothing but time. */
const seenMax = 2;
const smearedMin = 0.7;

const nothing: MrzSearch = { reading: null, isSeen: false, isCut: false, softness: 0 };

/**
 * Looks for an MRZ in a photograph, upright or turned by any quarter, and reads it. Nothing is
 * guessed: a line on which they do not agree leaves the whole zone unread.
 */
export function findMrz(image: Grey, reader: TextReader): MrzSearch {
  let best = nothing;
  let seen = 0;
  for (const side of [image, turned(image)]) {
    const { image: small, scale } = shrunk(side, searchSideMax);
    for (const zone of locateZones(small)) {
      for (const isUpsideDown of [false, true]) {
        const found = readZone({ image: side, scale, small, zone, isUpsideDown }, reader);
        if (found.reading) return found;
        if (found.isSeen && !best.isSeen) best = found;
        seen += found.isSeen ? 1 : 0;
        if (seen >= seenMax) return best;
      }
    }
  }
  return best;
}

interface Place {
  readonly image: Grey;
  readonly small: Grey;
  readonly scale: number;
  readonly zone: Zone;
  readonly isUpsideDown: boolean;
}

/** Cuts a line out, its letters so many pixels high. */
type Cut = (index: number, letterHeight: number) => Grey;

function readZone(place: Place, reader: TextReader): MrzSearch {
  const { image, zone, scale, isUpsideDown } = place;
  const lines = isUpsideDown ? zone.toReversed() : zone;
  const cut: Cut = (index, letterHeight) => {
    const line = lines[index];
    if (!line) return { data: new Uint8Array(), width: 0, height: 0 };
    const strip = stripOf(image, line, scale, letterHeight);
    return isUpsideDown ? flipped(strip) : strip;
  };
  const softness = softnessOf(place);
  // Lines as long and even as an MRZ's, but smeared: the engine would look for letters for seconds.
  if (softness > smearedMin) return { ...nothing, isSeen: true, isCut: isAtEdge(place), softness };
  const [usual = 30] = letterHeights;
  const start = reader.line(cut(0, usual)).text;
  if (!isLikeMrz(start)) return nothing;
  const texts = [
    start,
    ...lines.slice(1).map((_, index) => reader.line(cut(index + 1, usual)).text),
  ];
  const format = mrzFormatOf(texts);
  const seen = { isSeen: true, isCut: isAtEdge(place), softness };
  if (!format || !/^[ACIPV1]/.test(start)) return { ...seen, reading: null };
  return { ...seen, reading: agree(texts, format, cut, reader) };
}

/** A zone's first line is long and full of fillers or letters; other text is neither. */
const isLikeMrz = (text: string): boolean =>
  text.length >= 20 && text.length <= 50 && (text.match(/</g)?.length ?? 0) >= 2;

/**
 * Takes of each line what both readers agree on: the engine, in up to three sizes, and the typeface's
 * own shapes. They share no code and no training, and seldom err at the same place.
 */
function agree(
  texts: readonly string[],
  format: MrzFormat,
  cut: Cut,
  reader: TextReader,
): MrzReading | null {
  const agreed: string[] = [];
  for (const [index, text] of texts.entries()) {
    const kinds = kindsOf(format, index);
    const matched = matchLine(cut, index, kinds);
    if (matched === null) return null;
    const again = letterHeights.slice(1).values();
    let settled = settleLine(text, format, index);
    while (settled === null || folded(settled, kinds) !== folded(matched, kinds)) {
      const { value: height } = again.next();
      if (height === undefined) return null;
      settled = settleLine(reader.line(cut(index, height)).text, format, index);
    }
    agreed.push(settled);
  }
  const lines = settleNumber(agreed, format, hasRightDigits);
  return lines && { lines };
}

/** The line by its shapes, cut a second time so that its letters are exactly as high as those. */
function matchLine(cut: Cut, index: number, kinds: readonly string[]): string | null {
  const rows = letterRows(cut(index, shapeHeight));
  if (rows < shapeHeight / 2) return null;
  const height = Math.round((shapeHeight * shapeHeight) / rows);
  return matchShapes(cut(index, height), kinds.length, kinds);
}

/** O and 0 where either may stand: no reader tells them apart, check digits do. */
const folded = (line: string, kinds: readonly string[]): string =>
  [...line].map((each, at) => (kinds[at] === 'X' && each === 'O' ? '0' : each)).join('');

function hasRightDigits(lines: readonly string[]): boolean {
  try {
    return readMrz(lines).wrongCheckDigits.length === 0;
  } catch (error) {
    if (error instanceof MalformedMrz) return false;
    throw error;
  }
}

function isAtEdge({ zone, small }: Place): boolean {
  const margin = small.width * edgeShare;
  return zone.some(({ start, end }) => start.x < margin || end.x > small.width - margin);
}

/** Sharp letters are dark or bright, blurred ones in between. */
function softnessOf({ image, zone, scale }: Place): number {
  const [line] = zone;
  if (!line) return 0;
  const { data } = stripOf(image, line, scale, 30);
  let [dark, between] = [0, 0];
  for (const value of data) {
    if (value < 64) dark += 1;
    else if (value < 192) between += 1;
  }
  return between / Math.max(1, dark + between);
}
