import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatform, type TestPlatform } from '../../support/platform/harness.ts';
import type { Part } from '../../support/platform/parts.ts';
import { rehearse, runVolleys, type Planned, type Rehearsal } from './campaign.ts';
import { openField } from './field.ts';
import { faultsOf } from './outcome.ts';
import { tableOf } from './table.ts';

/** A check must be done at most this long after every part is up again, in ms. */
const healMsMax = 60_000;

export interface Options {
  readonly chosen: readonly Part[];
  readonly rounds: number;
}

/**
 * Plans a kill of every part at every step: early, midway, late, before it, and along the
 * affidavit.
 */
function planOf({ chosen, rounds }: Options, { issueMs }: Rehearsal): Planned[] {
  const shares = [0, 0.25, 0.5, 0.75, 1];
  const delays = [0.1, 0.3, 0.5, 0.7, 0.9];
  const round = chosen.flatMap((part): Planned[] => [
    { part, moment: { kind: 'away' } },
    ...shares.map((share): Planned => ({ part, moment: { kind: 'share', share } })),
    ...delays.map((share): Planned => ({ part, moment: { kind: 'delay', ms: share * issueMs } })),
    { part, moment: { kind: 'stored' } },
  ]);
  return Array.from({ length: rounds }, () => round).flat();
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs the campaign on a separate platform and removes it; returns 0 when nothing failed. */
export async function killParts(options: Options): Promise<number> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error('interrupted')));
    }
  });
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-chaos-'));
  try {
    const platform = await createPlatform(directory, say);
    try {
      return await Promise.race([killAll(platform, options), interrupted]);
    } finally {
      await platform.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function killAll(platform: TestPlatform, options: Options): Promise<number> {
  const field = await openField(platform, platform.facts.own);
  try {
    // The first check warms the caches for the later ones.
    await rehearse(field);
    const rehearsal = await rehearse(field);
    say(`${rehearsal.steps.length} steps, the affidavit ${Math.round(rehearsal.issueMs)} ms after`);
    const results = await runVolleys(field, rehearsal, planOf(options, rehearsal), say);
    const faults = await faultsOf(field, rehearsal);
    const load = (loadavg()[0] ?? 0).toFixed(1);
    say(`Node ${process.version}, ${availableParallelism()} cores, load ${load}`);
    const hits = results.flatMap((result) => result.hits);
    const failed = hits.filter(({ healedMs }) => healedMs === null || healedMs > healMsMax);
    const lines = tableOf([...rehearsal.steps, 'affidavit'], options.chosen, results);
    process.stdout.write(`${[...lines, ...faults].join('\n')}\n`);
    process.stdout.write(
      `${field.checks.length} checks, ${faults.length} faults, ${failed.length} steps not healed\n`,
    );
    return faults.length + failed.length === 0 ? 0 : 1;
  } finally {
    await field.stop();
  }
}
