import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../cli/platform/ports.ts';
import { createClient } from '../../cli/phone/client.ts';
import { createPlatform, type TestPlatform } from '../harness.ts';
import { readOptions, readRounds, readWords, WrongWords } from '../words.ts';
import { affidavitBench } from './affidavit.ts';
import type { Bench } from './bench.ts';
import { bounded, surroundings } from './bounded.ts';
import { change } from './change.ts';
import { memory } from './memory.ts';
import { passport } from './passport.ts';
import { preview } from './preview.ts';
import { profileLines } from './profile.ts';
import { publicLogBench } from './public-log.ts';
import { judgeResult, linesOf, type JudgedResult } from './report.ts';
import { tokenExchange } from './token-exchange.ts';
import { trustCheck } from './trust-check.ts';

const benches: readonly Bench[] = [
  preview,
  tokenExchange,
  trustCheck,
  change,
  affidavitBench,
  memory,
  passport,
  publicLogBench,
];
/** Each bench stops making rounds when this is spent, and the whole run ends at the other. */
const benchMsMax = 80_000;
const runMsMax = 600_000;

const profileLinesMax = 25;

const usage = `npm run bench -- [P1] [P2] [P3] [P4] [P6] [P7] [P8] [P9] [--rounds N] [--minutes M] [--json]
                 [--profile FOLDER]
  P1 link preview, P2 token exchange, P3 trust check, P4 change to socket,
  P6 affidavits made and verified, P7 memory, watched for M minutes (1 unless given),
  P8 passports and phones, P9 entries of the public log; without names all of them
  --profile keeps a CPU profile of every process of ours and prints its top entries;
            profiling costs time itself: figures of such a run are not figures of the goals
`;

interface Options {
  readonly chosen: readonly Bench[];
  readonly rounds: number | null;
  readonly minutes: number;
  readonly isJson: boolean;
  readonly profile: string | null;
}

function optionsOf(words: string[]): Options {
  const flags = {
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    profile: { type: 'string' },
  } as const;
  const ids = benches.map(({ id }) => id);
  const given = words.map((word) => (/^p\d$/.test(word) ? word.toUpperCase() : word));
  const { values, chosen } = readWords(given, flags, ids);
  return {
    chosen: benches.filter(({ id }) => chosen.includes(id)),
    rounds: values.rounds === undefined ? null : readRounds(values.rounds),
    minutes: values.minutes === undefined ? 1 : readMinutes(values.minutes),
    profile: values.profile === undefined ? null : resolve(values.profile),
    isJson: values.json ?? false,
  };
}

function readMinutes(word: string): number {
  const minutes = Number(word);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440) return minutes;
  throw new WrongWords('--minutes: a number from 1 to 1440');
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs the chosen benches on a platform of their own, of which nothing is left. */
async function measureAll(options: Options, signal: AbortSignal): Promise<JudgedResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-bench-'));
  const profiling = `--cpu-prof --cpu-prof-dir=${JSON.stringify(options.profile)}`;
  const inspectPort = await freePort();
  const inspecting = `--inspect-port=${inspectPort}`;
  const settings = {
    LOG_LEVEL: 'warn',
    // Limits go by address: each side is asked from as many as it needs.
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

/** One bench after another; each is printed as soon as it is judged. */
async function measureOn(
  platform: TestPlatform,
  options: Options,
  inspectPort: number,
  signal: AbortSignal,
): Promise<JudgedResult[]> {
  const call = createClient(platform.facts.baseUrl);
  const results: JudgedResult[] = [];
  for (const bench of options.chosen) {
    signal.throwIfAborted();
    say(`${bench.id} …`);
    const rounds = options.rounds ?? bench.rounds;
    const pace = { rounds, msMax: benchMsMax, signal, random: Math.random };
    const context = { platform, call, pace, minutes: options.minutes, inspectPort };
    const judged = judgeResult(await bench.run(context), Math.random);
    results.push(judged);
    if (!options.isJson) process.stdout.write(`${linesOf(judged, surroundings()).join('\n')}\n`);
  }
  return results;
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { options } = read;
  return bounded(runMsMax + options.minutes * 60_000, async (signal) => {
    const results = await measureAll(options, signal);
    if (options.profile) {
      const lines = await profileLines(options.profile, profileLinesMax);
      process.stderr.write(`${lines.join('\n')}\n`);
    }
    if (options.isJson) {
      process.stdout.write(`${JSON.stringify({ ...surroundings(), results }, null, 2)}\n`);
    }
  });
}

process.exitCode = await main();
