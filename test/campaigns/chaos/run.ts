import { inspect } from 'node:util';
import { parts } from '../../support/platform/parts.ts';
import { readOptions, readRounds, readWords } from '../../support/runner/words.ts';
import type { Options } from './kill-parts.ts';

const roundsDefault = 3;
const usage = `npm run chaos -- [api] [worker] [postgres] [--rounds N]
  kills the parts named, all without names, at every step of a check and all along its affidavit
`;

function optionsOf(words: string[]): Options {
  const flags = { rounds: { type: 'string', default: String(roundsDefault) } } as const;
  const { values, chosen } = readWords(words, flags, parts);
  return {
    chosen: parts.filter((part) => chosen.includes(part)),
    rounds: readRounds(values.rounds),
  };
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  // Wrong arguments are rejected before the modules of a platform load.
  const { killParts } = await import('./kill-parts.ts');
  return killParts(read.options);
}

process.exit(
  await main().catch((error: unknown) => {
    process.stderr.write(`stopped: ${inspect(error)}\n`);
    return 1;
  }),
);
