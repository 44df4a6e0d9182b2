import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, wordsOf, WrongWords } from '../../support/runner/words.ts';
import { reportFile, requestsSetting, seedSetting } from './options.ts';

const requestsDefault = 20_000;
const usage = `npm run fuzz -- [--requests N] [--seed N]
  sends requests of chance, made from the OpenAPI document, to a platform of its own, and holds
  every answer against the document; ${requestsDefault} unless said otherwise
`;

function optionsOf(words: string[]): { requests: number; seed: number } {
  const { values, positionals } = wordsOf(words, {
    requests: { type: 'string', default: String(requestsDefault) },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  });
  const [unknown] = positionals;
  if (unknown !== undefined) throw new WrongWords(`${unknown}: no words are taken`);
  const [requests, seed] = [Number(values.requests), Number(values.seed)];
  if (!Number.isInteger(requests) || requests < 1_000 || requests > 2_000_000) {
    throw new WrongWords('--requests: a number from 1000 to 2000000');
  }
  if (!Number.isInteger(seed) || Math.abs(seed) > 2 ** 31) {
    throw new WrongWords('--seed: a number of at most 2147483648');
  }
  return { requests, seed };
}

/** Runs the campaign on the platform of the suite, and prints the report. */
async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { requests, seed } = read.options;
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-fuzz-'));
  const file = join(directory, 'report');
  const code = await runVitest(['test/campaigns/fuzz/campaign.test.ts'], {
    [requestsSetting]: String(requests),
    [seedSetting]: String(seed),
    [reportFile]: file,
  });
  process.stdout.write(await readFile(file, 'utf8').catch(() => ''));
  await rm(directory, { recursive: true, force: true });
  return code;
}

process.exitCode = await main();
