import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { turned, type Grey } from '../../../domain/images/grey.ts';
import type { Spend } from './budget.ts';

/** What was read in one line of text, and how sure the engine is of it, 0 to 100. */
export interface ReadLine {
  readonly text: string;
  readonly confidence: number;
}

/** Synchronous: while it reads, it keeps the thread it runs in busy. */
export interface TextReader {
  /** One line of OCR-B, spaces left out. */
  line(strip: Grey): ReadLine;
  /**
   * What is printed for people on a page, in any order; `spend` is asked before each reading.
   * @param isAlone whether the page has no code, so that its print decides. It is then also read
   *   upside down: such print reads as other letters, with only a little less confidence
   */
  words(page: Grey, spend: Spend, options?: { readonly isAlone?: boolean }): string[];
}

/** The little of Tesseract's own interface that is used (tesseract.js-core, TessBaseAPI). */
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
/** The engine of before neural networks: those make letters of runs of fillers. */
const legacyEngine = 0;
const oneLine = 7;
const scattered = 11;
const wholePage = 3;
const wordsMax = 500;
/** Radians: less is straight enough to read, more is a misjudgement. */
const slantMin = 0.005;
const slantMax = 0.4;
/** Of words that stand upright. Drawn cards have 74 to 88, upside down 67 to 74, sideways 60. */
const sureMin = { besideCode: 55, alone: 74 };
/** Quarters in the order in which they are tried: upright, upside down, and sideways. */
const turns = [0, 2, 1, 3];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<';

let opened: Promise<TextReader> | null = null;

/** The reader of this thread, opened at its first use: it takes a second and 200 MB. */
export async function openTextReader(): Promise<TextReader> {
  try {
    opened ??= openEngine();
    return await opened;
  } catch (error) {
    opened = null;
    throw error;
  }
}

/** Works with the engine. One that trapped is not asked again: the next reading opens another. */
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
  // It tells of guessed resolutions, for every line.
  const engine = await start({ print: () => undefined, printErr: () => undefined });
  const packed = require.resolve('@tesseract.js-data/eng/4.0.0/eng.traineddata.gz');
  engine.FS.writeFile('eng.traineddata', gunzipSync(readFileSync(packed)));
  const api = new engine.TessBaseAPI();
  if (api.Init(null, 'eng', legacyEngine) !== 0) throw new Error('the text engine does not begin');
  // What it learns of one document must not colour how it reads the next.
  api.SetVariable('classify_enable_learning', '0');
  api.SetVariable('classify_enable_adaptive_matcher', '0');
  for (const words of ['load_system_dawg', 'load_freq_dawg']) api.SetVariable(words, '0');
  api.SetVariable('user_defined_dpi', '300');
  function set(image: Grey, mode: number, angle: number): void {
    api.SetPageSegMode(mode);
    // The one place SetImageFile reads from.
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

/** The plainest image format there is: a header of three numbers and the pixels. */
const portableGreymap = ({ data, width, height }: Grey): Uint8Array =>
  Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), data]);
