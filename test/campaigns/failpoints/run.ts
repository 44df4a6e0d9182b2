import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, readRounds, readWords } from '../../support/runner/words.ts';
import { roundsSetting } from './campaign.ts';

const usage = `npm run failpoints -- [--rounds N]
  kills the process that issues an affidavit (kill -9) at each step of it, N times each, 20 unless
  said otherwise, and holds what the next one makes of what was left
`;

/** Runs the failpoints on a separate platform; returns 0 when every affidavit is as expected. */
async function main(): Promise<number> {
  const flags = { rounds: { type: 'string', default: '20' } } as const;
  const read = readOptions((words) => readRounds(readWords(words, flags, []).values.rounds), usage);
  if (read.options === null) return read.code;
  const settings = { [roundsSetting]: String(read.options) };
  return runVitest(['test/campaigns/failpoints', '--reporter=verbose'], settings);
}

process.exitCode = await main();
