import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, readWords } from '../../support/runner/words.ts';
import { wholeSetting } from './campaign.ts';
import { causes } from './causes.ts';

const usage = `npm run simulator -- [NAME]…
  has the simulated phones go wrong in every way there is, or in those named, each by a whole check
  on a platform of its own: ${Object.keys(causes).join(', ')}
`;

/** Runs them in turn; returns 0 when all results are as expected. */
async function main(): Promise<number> {
  const names = Object.keys(causes);
  const read = readOptions((words) => readWords(words, {}, names).chosen, usage);
  if (read.options === null) return read.code;
  const isPart = read.options.length < names.length;
  const named = isPart ? ['-t', ` (${read.options.join('|')}) by `] : [];
  const flags = [
    'test/campaigns/simulator',
    '--no-file-parallelism',
    '--reporter=verbose',
    ...named,
  ];
  return runVitest(flags, { [wholeSetting]: 'yes' });
}

process.exitCode = await main();
