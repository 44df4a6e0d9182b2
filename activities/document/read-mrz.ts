import { MalformedMrz, readMrz, type MrzFormat } from '../passport/mrz.ts';
import { shrunk, turned, type Grey } from './grey.ts';
import { locateZones, type Zone } from './locate.ts';
import type { TextReader } from './ocr.ts';
import { mrzFormatOf, settleLine, settleNumber } from './settle-mrz.ts';
import { flipped, stripOf } from './strip.ts';

/** An MRZ that two readings agree on, as it was printed as far as a camera can tell. */
export interface MrzReading {
  readonly lines: readonly string[];
  /** Of the least certain line, 0 to 100. */
  readonly confidence: number;
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

/** Two of these have to agree: what one size misreads, another seldom misreads the same way. */
const letterHeights = [30, 40, 35];
const searchSideMax = 1000;
const edgeShare = 0.012;

const nothing: MrzSearch = { reading: null, isSeen: false, isCut: false, softness: 0 };

/**
 * Looks for an MRZ in a photograph, upright or turned by any quarter, and reads it. Nothing is
 * guessed: a line on which no two readings agree leaves the whole zone unread.
 */
export function findMrz(image: Grey, reader: TextReader): MrzSearch {
  let best = nothing;
  for (const side of [image, turned(image)]) {
    const { image: small, scale } = shrunk(side, searchSideMax);
    for (const zone of locateZones(small)) {
      for (const isUpsideDown of [false, true]) {
        const found = readZone({ image: side, scale, small, zone, isUpsideDown }, reader);
        if (found.reading) return found;
        if (found.isSeen && !best.isSeen) best = found;
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

type Read = (index: number, letterHeight: number) => { text: string; confidence: number };

function readZone(place: Place, reader: TextReader): MrzSearch {
  const { image, zone, scale, isUpsideDown } = place;
  const lines = isUpsideDown ? zone.toReversed() : zone;
  const read: Read = (index, letterHeight) => {
    const line = lines[index];
    if (!line) return { text: '', confidence: 0 };
    const strip = stripOf(image, line, scale, letterHeight);
    return reader.line(isUpsideDown ? flipped(strip) : strip);
  };
  const first = lines.map((_, index) => (index === 0 ? read(0, 30) : null));
  const start = first[0]?.text ?? '';
  if (!isLikeMrz(start)) return nothing;
  const texts = [start, ...lines.slice(1).map((_, index) => read(index + 1, 30).text)];
  const format = mrzFormatOf(texts);
  const seen = { isSeen: true, isCut: isAtEdge(place), softness: softnessOf(place) };
  if (!format || !/^[ACIPV1]/.test(start)) return { ...seen, reading: null };
  return { ...seen, reading: agree(texts, format, read) };
}

/** A zone's first line is long and full of fillers or letters; other text is neither. */
const isLikeMrz = (text: string): boolean =>
  text.length >= 20 && text.length <= 50 && (text.match(/</g)?.length ?? 0) >= 2;

/** Reads each line again in other sizes until two readings of it are the same. */
function agree(texts: readonly string[], format: MrzFormat, read: Read): MrzReading | null {
  const agreed: string[] = [];
  let confidence = 100;
  for (const [index, text] of texts.entries()) {
    const known = [settleLine(text, format, index)];
    let line: string | null = null;
    for (const height of letterHeights.slice(1)) {
      const again = read(index, height);
      const settled = settleLine(again.text, format, index);
      confidence = Math.min(confidence, again.confidence);
      if (settled !== null && known.includes(settled)) line = settled;
      if (line !== null) break;
      known.push(settled);
    }
    if (line === null) return null;
    agreed.push(line);
  }
  const lines = settleNumber(agreed, format, hasRightDigits);
  return lines && { lines, confidence };
}

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
