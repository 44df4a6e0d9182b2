import { seeded } from '../../support/fixtures/seeded.ts';
import { mutate } from './mutate.ts';
import type { Parser } from './parser.ts';

export interface Findings {
  readonly name: string;
  readonly inputs: number;
  /** Number of mutants that were parsed successfully. */
  readonly read: number;
  readonly slowestMs: number;
  readonly memoryMb: number;
  /** Whether the parser exceeded its memory limit. */
  readonly isLarge: boolean;
  /** Unexpected errors with the number of the input, which the seed reproduces. */
  readonly faults: readonly string[];
  /** Numbers of inputs that were slow at every attempt. */
  readonly slow: readonly number[];
}

/** Limits of an input; a slow one is repeated, because the machine may be busy. */
export const bounds = { msMax: 50, memoryMbMax: 256 } as const;
const askedAgain = 3;
const keptMax = 5;

/** Parses mutated inputs and records forbidden behavior. */
export async function runCampaign(parser: Parser, inputs: number, seed: number): Promise<Findings> {
  const random = seeded(seed);
  const { msMax, memoryMbMax } = parser.bounds ?? bounds;
  const [faults, slow]: [string[], number[]] = [[], []];
  const before = process.memoryUsage().rss;
  let [read, slowestMs, rss] = [0, 0, before];
  for (let done = 0; done < inputs; done += 1) {
    const bytes = mutate(parser.seeds, random);
    const first = await readOnce(parser, bytes);
    if (first.isRead) read += 1;
    if (first.fault && faults.length < keptMax) faults.push(`input ${done}: ${first.fault}`);
    const ms = first.ms > msMax ? await fastest(parser, bytes, first.ms) : first.ms;
    if (ms > msMax && slow.length < keptMax) slow.push(done);
    slowestMs = Math.max(slowestMs, ms);
    if (done % 100 === 0) rss = Math.max(rss, process.memoryUsage().rss);
  }
  const memoryMb = (Math.max(rss, process.memoryUsage().rss) - before) / 2 ** 20;
  const isLarge = memoryMb > memoryMbMax;
  return { name: parser.name, inputs, read, slowestMs, memoryMb, isLarge, faults, slow };
}

interface Reading {
  readonly isRead: boolean;
  readonly fault: string | null;
  readonly ms: number;
}

async function readOnce({ read, throws }: Parser, bytes: Uint8Array): Promise<Reading> {
  const begin = performance.now();
  let fault: string | null = null;
  let isRead = true;
  try {
    await read(bytes);
  } catch (error) {
    isRead = false;
    const name = error instanceof Error ? error.name : String(error);
    if (!throws.includes(name)) fault = error instanceof Error ? `${name}: ${error.message}` : name;
  }
  return { isRead, fault, ms: performance.now() - begin };
}

async function fastest(parser: Parser, bytes: Uint8Array, ms: number): Promise<number> {
  let least = ms;
  for (let time = 0; time < askedAgain; time += 1) {
    least = Math.min(least, (await readOnce(parser, bytes)).ms);
  }
  return least;
}
