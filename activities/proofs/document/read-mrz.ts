import { shrunk, turned, type Grey } from '../../../domain/images/grey.ts';
import { locateZones, type Zone } from '../../../domain/proofs/document/locate.ts';
import type { MrzReading } from '../../../domain/proofs/document/reading.ts';
import {
  kindsOf,
  mrzFormatOf,
  settleLine,
  settleZone,
  type LineReadings,
} from '../../../domain/proofs/document/settle-mrz.ts';
import { flipped, stripOf } from '../../../domain/proofs/document/strip.ts';
import { isState } from '../../../domain/proofs/mrz/countries.ts';
import { MalformedMrz, readMrz, type MrzFormat } from '../../../domain/proofs/mrz/mrz.ts';
import type { Spend } from './budget.ts';
import { letterRows, matchShapes } from './match-shapes.ts';
import { shapeHeight } from './ocr-b.ts';
import type { TextReader } from './ocr.ts';

/** Result of a search for an MRZ. */
export interface MrzSearch {
  readonly reading: MrzReading | null;
  /** Whether text like an MRZ was found. */
  readonly isSeen: boolean;
  /** Whether it reaches the edge of the photograph. */
  readonly isCut: boolean;
  /** Blur of its letters: the share of pixels that are neither dark nor bright, 0 to 1. */
  readonly softness: number;
}

/** The engine misreads letters in one size and reads them in another. */
const letterHeights = [30, 40, 35];
const searchSideMax = 1000;
const edgeShare = 0.012;
/** Zones to read at most: one zone is often found twice, and a third reading adds only time. */
const seenMax = 2;
const smearedMin = 0.7;

const nothing: MrzSearch = { reading: null, isSeen: false, isCut: false, softness: 0 };

/**
 * Finds and reads an MRZ in a photograph, at any quarter turn. Nothing is guessed: if the two
 * readers do not agree on a line, the whole zone is unread.
 * @param spend called before each zone
 */
export function findMrz(image: Grey, reader: TextReader, spend: Spend): MrzSearch {
  let best = nothing;
  let seen = 0;
  for (const side of [image, turned(image)]) {
    const { image: small, scale } = shrunk(side, searchSideMax);
    for (const zone of locateZones(small)) {
      for (const isUpsideDown of [false, true]) {
        spend();
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

/** Cuts out a line, scaled to this height of its letters in pixels. */
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
  // Smeared lines that are as long and even as an MRZ: the engine would search them for seconds.
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

/** The first line of a zone has 20 to 50 characters and at least two fillers. */
const isLikeMrz = (text: string): boolean =>
  text.length >= 20 && text.length <= 50 && (text.match(/</g)?.length ?? 0) >= 2;

/**
 * Reads each line with the engine and with the shapes of the typeface. These share no code and no
 * training data, and seldom make the same error. Names, which have no check digit, must be equal in
 * both. For all other fields `settleZone` accepts what the check digits confirm.
 */
function agree(
  texts: readonly string[],
  format: MrzFormat,
  cut: Cut,
  reader: TextReader,
): MrzReading | null {
  const readings: LineReadings[] = [];
  for (const [index, text] of texts.entries()) {
    const kinds = kindsOf(format, index);
    const other = matchLine(cut, index, kinds);
    if (other === null) return null;
    const isNames = namesLine[format] === index;
    const again = letterHeights.slice(1).values();
    let one = settleLine(text, format, index);
    while (one === null || (isNames ? one !== other : differences(one, other) > differencesMax)) {
      const { value: height } = again.next();
      if (height === undefined) return null;
      one = settleLine(reader.line(cut(index, height)).text, format, index);
    }
    readings.push({ one, other });
  }
  const lines = settleZone(readings, format, isRight);
  return lines && { lines };
}

const namesLine: Readonly<Record<MrzFormat, number>> = {
  TD1: 2,
  TD2: 0,
  TD3: 0,
  'MRV-A': 0,
  'MRV-B': 0,
};
/** With more differences in a line, one of the readers did not read it. */
const differencesMax = 5;

const differences = (one: string, other: string): number =>
  [...one].filter((character, at) => character !== other[at]).length;

/**
 * Reads the line by its shapes. It is cut again so that its letters have exactly their height: a
 * tenth more or less turns an 8 into an S.
 */
function matchLine(cut: Cut, index: number, kinds: readonly string[]): string | null {
  const rows = letterRows(cut(index, shapeHeight));
  if (rows < shapeHeight / 2) return null;
  const height = (shapeHeight * shapeHeight) / rows;
  let best: ReturnType<typeof matchShapes> = null;
  for (const sizes of [
    [1, 1.04, 1.08, 1.12],
    [0.96, 0.92],
  ]) {
    for (const size of sizes) {
      const strip = cut(index, Math.round(height * size));
      const match = matchShapes(strip, kinds.length, kinds);
      if (!match || (best && match.like <= best.like)) break;
      best = match;
    }
  }
  return best?.text ?? null;
}

/** All check digits match, and both States are in ICAO's list: no check digit covers those. */
function isRight(lines: readonly string[]): boolean {
  try {
    const { wrongCheckDigits, issuingState, nationality } = readMrz(lines);
    return wrongCheckDigits.length === 0 && isState(issuingState) && isState(nationality);
  } catch (error) {
    if (error instanceof MalformedMrz) return false;
    throw error;
  }
}

function isAtEdge({ zone, small }: Place): boolean {
  const margin = small.width * edgeShare;
  return zone.some(({ start, end }) => start.x < margin || end.x > small.width - margin);
}

/** Pixels of sharp letters are dark or bright; pixels of blurred letters are in between. */
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
