import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatform, openTestDb } from '../../support/platform/harness.ts';
import { readOptions, wordsOf, WrongWords } from '../../support/runner/words.ts';
import { separationOf } from './separation.ts';
import { makeSurfaces, type Surface } from './surfaces.ts';

const roundsDefault = 3_000;
const warmRounds = 200;
/** Deviation that chance and a noisy machine may cause at three thousand times per class. */
const aucOff = 0.03;

const usage = `npm run timing -- [--rounds N]
  takes the times of answers that are to be the same whatever their cause, in turn and in an order
  of chance, and says how well the causes can be told apart: an AUC of 0.5 is not at all;
  1 when one of them is off by more than ${aucOff}
`;

function roundsOf(words: string[]): number {
  const flags = { rounds: { type: 'string', default: String(roundsDefault) } } as const;
  const { values, positionals } = wordsOf(words, flags);
  const [unknown] = positionals;
  if (unknown !== undefined) throw new WrongWords(`${unknown}: no words are taken`);
  const rounds = Number(values.rounds);
  if (Number.isInteger(rounds) && rounds >= 100 && rounds <= 100_000) return rounds;
  throw new WrongWords('--rounds: a number from 100 to 100000');
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Returns the times of every class in milliseconds, one of each per round. */
async function timesOf(
  baseUrl: string,
  { classes, status }: Surface,
  rounds: number,
): Promise<Map<string, number[]>> {
  const names = Object.keys(classes);
  const times = new Map(names.map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < warmRounds + rounds; round += 1) {
    const order = names
      .map((name) => ({ name, place: Math.random() }))
      .toSorted((a, b) => a.place - b.place);
    for (const { name } of order) {
      const shot = classes[name]?.(round);
      if (!shot) continue;
      const began = performance.now();
      const response = await fetch(`${baseUrl}${shot.path}`, { redirect: 'manual', ...shot.init });
      await response.arrayBuffer();
      const tookMs = performance.now() - began;
      if (response.status !== status) throw new Error(`${name}: ${response.status}`);
      if (round >= warmRounds) times.get(name)?.push(tookMs);
    }
  }
  return times;
}

/** Prints every pair of causes; returns whether no pair can be distinguished. */
function judge({ name }: Surface, times: Map<string, number[]>): boolean {
  let isEven = true;
  const classes = [...times];
  for (const [place, [one, ofOne]] of classes.entries()) {
    for (const [other, ofOther] of classes.slice(place + 1)) {
      const { auc, z } = separationOf(ofOne, ofOther);
      const isOff = Math.abs(auc - 0.5) > aucOff;
      isEven &&= !isOff;
      const figures = `AUC ${auc.toFixed(3)}  z ${z.toFixed(1)}`;
      process.stdout.write(`${name}: ${one} / ${other}  ${figures}${isOff ? '  OFF' : ''}\n`);
    }
  }
  return isEven;
}

async function main(): Promise<number> {
  const read = readOptions(roundsOf, usage);
  if (read.options === null) return read.code;
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-timing-'));
  const platform = await createPlatform(directory, say, {
    LOG_LEVEL: 'error',
    TRUSTED_PROXIES: 'loopback',
  });
  const db = openTestDb(platform.facts.databaseUrl);
  try {
    const surfaces = await makeSurfaces({ platform, db });
    // Mails are not part of an answer, and would only add noise.
    await platform.kill('worker');
    let isEven = true;
    for (const surface of surfaces) {
      say(`${surface.name} …`);
      const times = await timesOf(platform.facts.baseUrl, surface, read.options);
      isEven = judge(surface, times) && isEven;
    }
    return isEven ? 0 : 1;
  } finally {
    await db.end();
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

process.exitCode = await main();
