import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runScaled } from './scaled.ts';

let directory = '';
afterAll(() => rm(directory, { recursive: true, force: true }));

it('two APIs and two workers behind a proxy lose nothing when each is killed', async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-scaled-'));
  const result = await runScaled(directory, 1, () => undefined);
  expect(result).toEqual({
    faults: [],
    kills: 4,
    checks: expect.any(Number),
    answered: [expect.any(Number), expect.any(Number)],
  });
  expect(result.checks).toBeGreaterThanOrEqual(10);
  for (const count of result.answered) expect(count).toBeGreaterThan(100);
}, 400_000);
