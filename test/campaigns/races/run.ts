import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';
import { campaignSetting, reportSetting, writeCampaign, type Campaign } from './campaign.ts';
import { raceNames } from './names.ts';

const usage = `npm run races -- [NAME]… [--callers N] [--rounds N]
  has N callers (50) meet N times at every point that is done once, or at those named; without
  --rounds that is 200 times, fewer where a round is long:
  ${raceNames().join(', ')}
`;

interface Options extends Campaign {
  readonly chosen: readonly string[];
  readonly hasAll: boolean;
}

function optionsOf(words: string[]): Options {
  const flags = {
    callers: { type: 'string', default: '50' },
    rounds: { type: 'string' },
  } as const;
  const { values, chosen } = readWords(words, flags, raceNames());
  const [callers, rounds] = [Number(values.callers), Number(values.rounds ?? 200)];
  const isWhole = values.rounds !== undefined;
  const isFine = (count: number, most: number): boolean =>
    Number.isInteger(count) && count >= 1 && count <= most;
  if (!isFine(callers, 50)) throw new WrongWords('--callers: a number from 1 to 50');
  if (!isFine(rounds, 100_000)) throw new WrongWords('--rounds: a number from 1 to 100000');
  return { callers, rounds, isWhole, chosen, hasAll: chosen.length === raceNames().length };
}

/**
 * Runs races in turn on a separate platform and prints a line for each; returns 0 when all held.
 */
async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { chosen, hasAll } = read.options;
  const folder = await mkdtemp(join(tmpdir(), 'trustcheck-races-'));
  const report = join(folder, 'report.txt');
  try {
    const named = hasAll ? [] : ['-t', ` (${chosen.join('|')})$`];
    const code = await runVitest(['test/campaigns/races', '--no-file-parallelism', ...named], {
      [campaignSetting]: writeCampaign(read.options),
      [reportSetting]: report,
    });
    process.stdout.write(await readFile(report, 'utf8').catch(() => ''));
    const load = (loadavg()[0] ?? 0).toFixed(1);
    process.stdout.write(
      `Node ${process.version}, ${availableParallelism()} cores, load ${load}\n`,
    );
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
