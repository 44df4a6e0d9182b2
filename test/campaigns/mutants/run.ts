import { readOptions, readWords, WrongWords } from '../../support/runner/words.ts';
import { bounds, runCampaign, type Findings } from './campaign.ts';
import type { Parser } from './parser.ts';
import { parsers } from './parsers.ts';

const all = await parsers();
const usage = `npm run mutants -- [PARSER]… [--inputs N] [--seed N]
  reads N mutated inputs (20000) of every parser of hostile bytes, or of those named:
  ${all.map(({ name }) => name).join(', ')}
  none may throw but its own error, take over ${bounds.msMax} ms or ${bounds.memoryMbMax} MB; a photograph more
`;

function optionsOf(words: string[]) {
  const flags = {
    inputs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  } as const;
  const { values, chosen } = readWords(
    words,
    flags,
    all.map(({ name }) => name),
  );
  const [inputs, seed] = [Number(values.inputs), Number(values.seed)];
  if (!Number.isInteger(inputs) || inputs < 1 || inputs > 10_000_000) {
    throw new WrongWords('--inputs: a number from 1 to 10000000');
  }
  if (!Number.isInteger(seed)) throw new WrongWords('--seed: a whole number');
  return { inputs, seed, chosen: all.filter(({ name }) => chosen.includes(name)) };
}

/** Prints one line per parser and its faults; returns whether it passed. */
async function report(parser: Parser, inputs: number, seed: number): Promise<boolean> {
  const found = await runCampaign(parser, inputs, seed);
  const { name, read, slowestMs, memoryMb, faults, slow } = found;
  const figures = `${inputs} inputs, ${read} read, slowest ${slowestMs.toFixed(1)} ms`;
  process.stdout.write(`${name.padEnd(18)} ${figures}, +${memoryMb.toFixed(0)} MB\n`);
  for (const line of faults) process.stdout.write(`  FAULT ${line}\n`);
  for (const input of slow) process.stdout.write(`  SLOW input ${input}\n`);
  return hasHeld(found);
}

const hasHeld = ({ faults, slow, isLarge }: Findings): boolean =>
  faults.length === 0 && slow.length === 0 && !isLarge;

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { inputs, seed, chosen } = read.options;
  let hasAllHeld = true;
  for (const parser of chosen) hasAllHeld = (await report(parser, inputs, seed)) && hasAllHeld;
  return hasAllHeld ? 0 : 1;
}

process.exitCode = await main();
