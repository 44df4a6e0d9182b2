import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';
import { attack, believedOf } from './attacks.ts';
import { families } from './families.ts';

const all = families();
const genuine = all.flatMap((family) => family.genuine);
const usage = `npm run forgeries -- [--tries N] [--seed N]
  of every genuine vector turns a bit of N octets of each part (20000, that is of every one but in
  the longest), cuts it at as many lengths, sets the clock to both edges of each certificate, and
  gives it the parts of the others: none may be believed
`;
const triesLimit = 1_000_000;

function optionsOf(words: string[]) {
  const flags = {
    tries: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  } as const;
  const { values } = readWords(words, flags, []);
  const [triesMax, seed] = [Number(values.tries), Number(values.seed)];
  if (!Number.isInteger(triesMax) || triesMax < 1 || triesMax > triesLimit) {
    throw new WrongWords(`--tries: a number from 1 to ${triesLimit}`);
  }
  if (!Number.isInteger(seed)) throw new WrongWords('--seed: a whole number');
  return { triesMax, seed };
}

/**
 * Prints one line per vector with its wrongly accepted or rejected attacks; returns the exit code.
 */
function main(): number {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { triesMax, seed } = read.options;
  let faults = 0;
  const print = (name: string, tried: number, wrong: readonly string[]): void => {
    process.stdout.write(`${name.padEnd(48)} ${tried} tried, ${wrong.length} wrong\n`);
    for (const line of wrong) process.stdout.write(`  WRONG ${line}\n`);
    faults += wrong.length;
  };
  for (const one of genuine) {
    const { tried, wrong } = attack(one, { triesMax }, seed);
    print(one.name, tried, wrong);
  }
  const swaps = all.flatMap((family) => family.swaps);
  print('with parts of others', swaps.length, believedOf(swaps));
  return faults === 0 ? 0 : 1;
}

process.exitCode = main();
