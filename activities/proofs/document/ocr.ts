import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { turned, type Grey } from '../../../domain/images/grey.ts';
import type { Spend } from './budget.ts';

/** Text of one line, and the engine's confidence, 0 to 100. */
export interface ReadLine {
  readonly text: string;
  readonly confidence: number;
}

/** Synchronous: it blocks its thread while it reads. */
export interface TextReader {
  /** Reads one line of OCR-B, without spaces. */
  line(strip: Grey): ReadLine;
  /**
   * Returns the printed words of a page, in any order.
   * @param spend called before each reading
   * @param isAlone whether the page has no code, so that its print decides. It is then also read
   * upside down: such print is read as other letters, with only a little less confidence
   */
  words(page: Grey, spend: Spend, options?: { readonly isAlone?: boolean }): string[];
}

/** The used part of Tesseract's interface (tesseract.js-core, TessBaseAPI). */
interface Engine {
  readonly FS: { writeFile(path: string, data: Uint8Array): void };
  readonly TessBaseAPI: new () => {
    Init(path: string | null, language: string, mode: number): number;
    SetVariable(name: string, value: string): boolean;
    SetPageSegMode(mode: number): void;
    SetImageFile(exif: number, angle: number): number;
    FindLines(): number;
    GetGradient(): number;
    GetUTF8Text(): string;
    MeanTextConf(): number;
    Clear(): void;
  };
}

const require = createRequire(import.meta.url);
/** The engine without neural networks: neural ones read letters in runs of fillers. */
const legacyEngine = 0;
const oneLine = 7;
const scattered = 11;
const wholePage = 3;
const wordsMax = 500;
/** Radians: below the minimum no rotation is needed, above the maximum the slant is an error. */
const slantMin = 0.005;
const slantMax = 0.4;
/**
 * Minimum confidence of upright words. Drawn cards have 74 to 88, upside down 67 to 74, sideways
 * 60.
 */
const sureMin = { besideCode: 55, alone: 74 };
/** Quarter turns in the order of tries: upright, upside down, sideways. */
const turns = [0, 2, 1, 3];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<';

let opened: Promise<TextReader> | null = null;

/** Returns the reader of this thread. The first call opens it, which takes a second and 200 MB. */
export async function openTextReader(): Promise<TextReader> {
  try {
    opened ??= openEngine();
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
}

/** Runs work with the engine. Discards an engine that traps; the next reading opens a new one. */
function guarded<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    opened = null;
    throw error;
  }
}

async function openEngine(): Promise<TextReader> {
  const start: (
    settings: object,
  ) => Promise<Engine> = require('tesseract.js-core/tesseract-core-simd.js');
  // The engine prints guessed resolutions for every line.
  const engine = await start({ print: () => undefined, printErr: () => undefined });
  const packed = require.resolve('@tesseract.js-data/eng/4.0.0/eng.traineddata.gz');
  engine.FS.writeFile('eng.traineddata', gunzipSync(readFileSync(packed)));
  const api = new engine.TessBaseAPI();
  if (api.Init(null, 'eng', legacyEngine) !== 0) throw new Error('the text engine does not begin');
  // The engine must not learn from one document how to read the next.
  api.SetVariable('classify_enable_learning', '0');
  api.SetVariable('classify_enable_adaptive_matcher', '0');
  for (const words of ['load_system_dawg', 'load_freq_dawg']) api.SetVariable(words, '0');
  api.SetVariable('user_defined_dpi', '300');
  function set(image: Grey, mode: number, angle: number): void {
    api.SetPageSegMode(mode);
    // `SetImageFile` reads only from this path.
    engine.FS.writeFile('/input', portableGreymap(image));
    api.SetImageFile(1, angle);
  }
  function read(image: Grey, mode: number, angle: number, characters: string): ReadLine {
    api.SetVariable('tessedit_char_whitelist', characters);
    set(image, mode, angle);
    const answer = { text: api.GetUTF8Text(), confidence: api.MeanTextConf() };
    api.Clear();
    return answer;
  }
  function slantOf(image: Grey): number {
    set(image, wholePage, 0);
    api.FindLines();
    const slant = api.GetGradient();
    api.Clear();
    return Math.abs(slant) < slantMin || Math.abs(slant) > slantMax ? 0 : slant;
  }
  return {
    line(strip) {
      const { text, confidence } = guarded(() => read(strip, oneLine, 0, alphabet));
      return { text: text.replaceAll(/\s/g, ''), confidence };
    },
    words(page, spend, { isAlone = false } = {}) {
      let best: ReadLine = { text: '', confidence: -1 };
      const isSure = () => best.confidence >= (isAlone ? sureMin.alone : sureMin.besideCode);
      for (const [index, quarters] of turns.entries()) {
        const isOtherWayUp = index % 2 === 1;
        if (isSure() && !(isAlone && isOtherWayUp)) break;
        spend();
        const found = guarded(() => {
          const upright = turnedBy(page, quarters);
          return read(upright, scattered, slantOf(upright), '');
        });
        if (found.confidence > best.confidence) best = found;
      }
      return best.text.split(/\s+/).slice(0, wordsMax);
    },
  };
}

const turnedBy = (page: Grey, quarters: number): Grey =>
  quarters === 0 ? page : turnedBy(turned(page), quarters - 1);

/** Encodes a PGM: a header of three numbers and the pixels. */
const portableGreymap = ({ data, width, height }: Grey): Uint8Array =>
  Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), data]);
