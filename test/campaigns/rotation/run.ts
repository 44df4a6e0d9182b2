import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { openFleet } from '../../support/platform/fleet.ts';
import { createPlatform } from '../../support/platform/harness.ts';
import { readOptions, readWords } from '../../support/runner/words.ts';
import { startLoad } from './load.ts';
import { rotateAll, rotations, type RotationName } from './steps.ts';

const usage = `npm run rotation -- [${rotations.join('] [')}]
  rotates the keys named, all without names, under load, with two APIs and a worker restarted in turn
`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs the rotations on a separate platform and removes it; returns 0 when no call was refused. */
async function main(): Promise<number> {
  const read = readOptions((words) => readWords(words, {}, rotations).chosen, usage);
  if (read.options === null) return read.code;
  const names = rotations.filter((name) => read.options.includes(name));
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-rotation-'));
  try {
    const { counts, refused } = await rotateOn(directory, names);
    for (const line of refused) process.stdout.write(`${line}\n`);
    for (const [what, count] of Object.entries(counts)) {
      process.stdout.write(`${what}: ${count}\n`);
    }
    process.stdout.write(`${names.join(', ')} rotated under load: ${refused.length} refused\n`);
    return refused.length > 0 ? 1 : 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function rotateOn(directory: string, names: readonly RotationName[]) {
  const platform = await createPlatform(directory, say);
  try {
    const fleet = await openFleet(platform);
    try {
      const load = await startLoad(platform.facts, fleet.origins);
      await rotateAll({ platform, fleet, load, say }, names);
      await load.stop();
      return load;
    } finally {
      await fleet.stop();
    }
  } finally {
    await platform.stop();
  }
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${inspect(error)}\n`);
  return 1;
});
