import { runVitest } from '../../support/runner/vitest-run.ts';
import { readOptions, wordsOf, WrongWords } from '../../support/runner/words.ts';
import { modelsSetting, writeModels } from './model.ts';

const names = ['email-identity', 'session', 'link', 'invite-token'];
const usage = `npm run models -- [${names.join('] [')}] [--runs N] [--seed S]
  holds the platform against its models: N (1000) sequences of steps by chance, from a seed that is
  printed; a sequence that fails is printed as short as it can be made, with what repeats it
`;

interface Options {
  readonly chosen: readonly string[];
  readonly runs: number;
  readonly seed: number;
}

function optionsOf(words: string[]): Options {
  const { values, positionals } = wordsOf(words, {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  });
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new WrongWords(`${unknown}: one of ${names.join(', ')}`);
  const [runs, seed] = [Number(values.runs), Number(values.seed)];
  if (!Number.isInteger(runs) || runs < 1) throw new WrongWords('--runs: a number from 1');
  if (!Number.isInteger(seed)) throw new WrongWords('--seed: a whole number');
  return { chosen: positionals.length > 0 ? positionals : names, runs, seed };
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { chosen, runs, seed } = read.options;
  process.stderr.write(`${runs} runs, --seed ${seed}\n`);
  const files = chosen.map((name) => `test/campaigns/models/${name}.test.ts`);
  const patience = ['--no-file-parallelism', '--testTimeout=86400000', '--hookTimeout=120000'];
  return runVitest([...files, ...patience], { [modelsSetting]: writeModels({ runs, seed }) });
}

process.exitCode = await main();
