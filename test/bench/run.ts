import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient } from '../../cli/phone/client.ts';
import { createPlatform, type TestPlatform } from '../harness.ts';
import { readOptions, readRounds, readWords } from '../words.ts';
import { affidavitBench } from './affidavit.ts';
import type { Bench } from './bench.ts';
import { bounded, surroundings } from './bounded.ts';
import { change } from './change.ts';
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
  passport,
  publicLogBench,
];
/** Each bench stops making rounds when this is spent, and the whole run ends at the other. */
const benchMsMax = 80_000;
const runMsMax = 400_000;

const profileLinesMax = 25;

const usage = `npm run bench -- [P1] [P2] [P3] [P4] [P6] [P8] [P9] [--rounds N] [--json] [--profile FOLDER]
  P1 link preview, P2 token exchange, P3 trust check, P4 change to socket,
  P6 affidavits made and verified,
  P8 passports and phones, P9 entries of the public log; without names all of them
  --profile keeps a CPU profile of every process of ours and prints its top entries;
            profiling costs time itself: figures of such a run are not figures of the goals
`;

interface Options {
  readonly chosen: readonly Bench[];
  readonly rounds: number | null;
  readonly isJson: boolean;
  readonly profile: string | null;
}

function optionsOf(words: string[]): Options {
  const flags = {
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    profile: { type: 'string' },
  } as const;
  const ids = benches.map(({ id }) => id);
  const given = words.map((word) => (/^p\d$/.test(word) ? word.toUpperCase() : word));
  const { values, chosen } = readWords(given, flags, ids);
  return {
    chosen: benches.filter(({ id }) => chosen.includes(id)),
    rounds: values.rounds === undefined ? null : readRounds(values.rounds),
    profile: values.profile === undefined ? null : resolve(values.profile),
    isJson: values.json ?? false,
  };
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs the chosen benches on a platform of their own, of which nothing is left. */
async function measureAll(options: Options, signal: AbortSignal): Promise<JudgedResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-bench-'));
  const profiling = `--cpu-prof --cpu-prof-dir=${JSON.stringify(options.profile)}`;
  const settings = {
    LOG_LEVEL: 'warn',
    // Limits go by address: each side is asked from as many as it needs.
    TRUSTED_PROXIES: 'loopback',
    ...(options.profile ? { NODE_OPTIONS: profiling } : {}),
  };
  try {
    const platform = await createPlatform(directory, say, settings);
    try {
      return await measureOn(platform, options, signal);
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
  signal: AbortSignal,
): Promise<JudgedResult[]> {
  const call = createClient(platform.facts.baseUrl);
  const results: JudgedResult[] = [];
  for (const bench of options.chosen) {
    signal.throwIfAborted();
    say(`${bench.id} …`);
    const rounds = options.rounds ?? bench.rounds;
    const pace = { rounds, msMax: benchMsMax, signal, random: Math.random };
    const judged = judgeResult(await bench.run({ platform, call, pace }), Math.random);
    results.push(judged);
    if (!options.isJson) process.stdout.write(`${linesOf(judged, surroundings()).join('\n')}\n`);
  }
  return results;
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { options } = read;
  return bounded(runMsMax, async (signal) => {
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
