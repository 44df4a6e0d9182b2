import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../cli/platform/ports.ts';
import { createClient } from '../../../simulator/session/client.ts';
import { createPlatform, type TestPlatform } from '../../support/platform/harness.ts';
import { affidavitBench } from './affidavit.ts';
import { change } from './http/change.ts';
import { preview } from './http/preview.ts';
import { tokenExchange } from './http/token-exchange.ts';
import type { Bench, BenchId } from './measure/bench.ts';
import { surroundings } from './measure/bounded.ts';
import { judgeResult, linesOf, type JudgedResult } from './measure/report.ts';
import { memory } from './memory.ts';
import { passport } from './passport.ts';
import { publicLogBench } from './public-log.ts';
import { trustCheck } from './trust-check.ts';

export interface Options {
  readonly chosen: readonly BenchId[];
  readonly rounds: number | null;
  readonly minutes: number;
  readonly isJson: boolean;
  readonly profile: string | null;
}

const benches: Readonly<Record<BenchId, Bench>> = {
  P1: preview,
  P2: tokenExchange,
  P3: trustCheck,
  P4: change,
  P6: affidavitBench,
  P7: memory,
  P8: passport,
  P9: publicLogBench,
};
/** A bench starts no further round after this time. */
const benchMsMax = 80_000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs the chosen benches on a separate platform, and removes it. */
export async function measureAll(options: Options, signal: AbortSignal): Promise<JudgedResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-bench-'));
  const profiling = `--cpu-prof --cpu-prof-dir=${JSON.stringify(options.profile)}`;
  const inspectPort = await freePort();
  const inspecting = `--inspect-port=${inspectPort}`;
  const settings = {
    LOG_LEVEL: 'warn',
    // Limits count per address, so each side uses as many addresses as it needs.
    TRUSTED_PROXIES: 'loopback',
    NODE_OPTIONS: options.profile ? `${inspecting} ${profiling}` : inspecting,
  };
  try {
    const platform = await createPlatform(directory, say, settings);
    try {
      return await measureOn(platform, options, inspectPort, signal);
    } finally {
      await platform.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs one bench after another, and prints each result at once. */
async function measureOn(
  platform: TestPlatform,
  options: Options,
  inspectPort: number,
  signal: AbortSignal,
): Promise<JudgedResult[]> {
  const call = createClient(platform.facts.baseUrl);
  const results: JudgedResult[] = [];
  for (const id of options.chosen) {
    const bench = benches[id];
    signal.throwIfAborted();
    say(`${id} …`);
    const rounds = options.rounds ?? bench.rounds;
    const pace = { rounds, msMax: benchMsMax, signal, random: Math.random };
    const context = { platform, call, pace, minutes: options.minutes, inspectPort };
    const judged = judgeResult(await bench.run(context), Math.random);
    results.push(judged);
    if (!options.isJson) process.stdout.write(`${linesOf(judged, surroundings()).join('\n')}\n`);
  }
  return results;
}
