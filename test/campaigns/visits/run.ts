import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';
import { visitsSetting } from './campaign.ts';

const usage = `npm run visits -- [--visits N]
  has a scripted person finish checks in Chromium on a platform of its own, N times (20) for each
  set of proofs, and prints the medians of steps, seconds, requests and bytes, how many faces
  passed within two tries, and the first paint on a processor that is four times slower
`;

function visitsOf(words: string[]): number {
  const flags = { visits: { type: 'string', default: '20' } } as const;
  const visits = Number(readWords(words, flags, []).values.visits);
  if (Number.isInteger(visits) && visits >= 2 && visits <= 1000) return visits;
  throw new WrongWords('--visits: a number from 2 to 1000');
}

async function main(): Promise<number> {
  const read = readOptions(visitsOf, usage);
  if (read.options === null) return read.code;
  const flags = ['test/campaigns/visits', '--no-file-parallelism', '--reporter=verbose'];
  return runVitest(flags, { [visitsSetting]: String(read.options) });
}

process.exitCode = await main();
