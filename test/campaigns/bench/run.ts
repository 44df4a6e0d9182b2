import { resolve } from 'node:path';
import { readOptions, readRounds, readWords, WrongWords } from '../../support/runner/words.ts';
import type { Options } from './measure.ts';
import { benchIds } from './measure/bench.ts';
import { bounded, surroundings } from './measure/bounded.ts';

/** The whole run ends after this time and the minutes of P7. */
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

function optionsOf(words: string[]): Options {
  const flags = {
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    profile: { type: 'string' },
  } as const;
  const given = words.map((word) => (/^p\d$/.test(word) ? word.toUpperCase() : word));
  const { values, chosen } = readWords(given, flags, benchIds);
  return {
    chosen: benchIds.filter((id) => chosen.includes(id)),
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

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { options } = read;
  // Wrong arguments are rejected before the 2,150 modules of the benches load.
  const [{ measureAll }, { profileLines }] = await Promise.all([
    import('./measure.ts'),
    import('./measure/profile.ts'),
  ]);
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
