import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readOptions, readRounds, readWords } from '../../../support/runner/words.ts';
import { runScaled } from './scaled.ts';

const usage = `npm run scaled -- [--rounds N]
  kills each of two APIs and two workers behind one proxy in turn, while checks run
`;

function roundsOf(words: string[]): number {
  const flags = { rounds: { type: 'string', default: '5' } } as const;
  return readRounds(readWords(words, flags, []).values.rounds);
}

/** Runs the kills on a separate platform and removes it; returns 0 when nothing was lost. */
async function main(): Promise<number> {
  const read = readOptions(roundsOf, usage);
  if (read.options === null) return read.code;
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-scaled-'));
  try {
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    const { faults, checks, kills, answered } = await runScaled(directory, read.options, say);
    for (const fault of faults) process.stdout.write(`${fault}\n`);
    const shares = answered.join(' and ');
    process.stdout.write(
      `${kills} kills, ${checks} checks, ${shares} requests, ${faults.length} faults\n`,
    );
    return faults.length === 0 ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${inspect(error)}\n`);
  return 1;
});
