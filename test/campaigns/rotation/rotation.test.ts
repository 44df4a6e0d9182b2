import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openFleet } from '../../support/platform/fleet.ts';
import { createPlatform } from '../../support/platform/harness.ts';
import { startLoad } from './load.ts';
import { rotateAll } from './steps.ts';

let directory = '';
afterAll(() => rm(directory, { recursive: true, force: true }));

it('rotation of token key, master secret and master key with restarts refuses no request', async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-rotation-'));
  const platform = await createPlatform(directory, () => undefined);
  const fleet = await openFleet(platform);
  try {
    const load = await startLoad(platform.facts, fleet.origins);
    await rotateAll({ platform, fleet, load, say: () => undefined }, [
      'tokens',
      'master-secret',
      'master',
    ]);
    await load.stop();
    expect(load.refused).toEqual([]);
    for (const what of [
      'checks begun',
      'checks read',
      'pairs resumed',
      'sessions used',
      'sign-ins',
      'whole checks',
    ]) {
      expect([what, load.counts[what]]).toEqual([what, expect.any(Number)]);
    }
  } finally {
    await fleet.stop();
    await platform.stop();
  }
}, 600_000);
