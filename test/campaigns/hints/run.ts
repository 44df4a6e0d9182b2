import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';
import { hintFilms, matrixOf, medianMsOf, rightShareOf } from './campaign.ts';

/** The bounds of `web/capture/hints.ts` were chosen on the films 0 to 839. */
const firstUnseen = 10_000;
const rightShareMin = 0.95;
/** 15 frames a second on a processor that is four times slower. */
const msMax = 1000 / 15 / 4;

const usage = `npm run hints -- [--films N] [--first N]
  draws N films (700) of documents from the first (${firstUnseen}), each with one fault or none,
  and compares the hint of each with its fault; 1 when under 95 % are right, or a frame takes
  over ${msMax.toFixed(1)} ms (median)
`;

function optionsOf(words: string[]): { films: number; first: number } {
  const flags = {
    films: { type: 'string', default: '700' },
    first: { type: 'string', default: String(firstUnseen) },
  } as const;
  const { values } = readWords(words, flags, []);
  const [films, first] = [Number(values.films), Number(values.first)];
  const isFine = (count: number, least: number): boolean =>
    Number.isInteger(count) && count >= least && count <= 100_000;
  if (!isFine(films, 1)) throw new WrongWords('--films: a number from 1 to 100000');
  if (!isFine(first, 0)) throw new WrongWords('--first: a number from 0 to 100000');
  return { films, first };
}

async function measure(count: number, first: number): Promise<number> {
  const films = await hintFilms(first, count);
  const [share, ms] = [rightShareOf(films), medianMsOf(films)];
  console.log(matrixOf(films));
  console.log(`right: ${(share * 100).toFixed(1)} % of ${count} films`);
  console.log(`a frame: ${ms.toFixed(1)} ms (median)`);
  for (const { name, truth, hint } of films) {
    if (hint !== truth) console.log(`wrong: ${name}: ${hint ?? 'none'}`);
  }
  return share >= rightShareMin && ms <= msMax ? 0 : 1;
}

const read = readOptions(optionsOf, usage);
process.exitCode = read.options ? await measure(read.options.films, read.options.first) : read.code;
