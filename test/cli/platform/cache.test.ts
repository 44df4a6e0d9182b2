import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { boundCompiled } from '../../../cli/platform/cache.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-compiled-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const now = new Date();
const monthAgo = new Date(now.getTime() - 31 * 24 * 3600_000);

function fill(name: string, count: number, at = now): void {
  const folder = join(directory, name);
  mkdirSync(folder);
  for (let file = 0; file < count; file += 1) writeFileSync(join(folder, `${file}`), '');
  utimesSync(folder, at, at);
}

it('what is compiled is bounded, by one of those who start at once', async () => {
  fill('v24-many', 4);
  fill('v24-few', 3);
  fill('v22-old', 1, monthAgo);
  fill('discarded-of-a-killed-one', 1);
  const starts = Array.from({ length: 5 }, () => boundCompiled(now, directory, 3));
  const taken = await Promise.all(starts);
  // What one has put aside another may finish.
  expect(taken.reduce((sum, each) => sum + each)).toBeGreaterThanOrEqual(3);
  expect(readdirSync(directory)).toEqual(['v24-few']);
  expect(await boundCompiled(now, directory, 3)).toBe(0);
  expect(await boundCompiled(now, join(directory, 'none'))).toBe(0);
});

it('a process whose folder is taken away while it runs ends as it would', () => {
  const cache = join(directory, 'in-use');
  const module = join(directory, 'module.mjs');
  writeFileSync(
    module,
    `import { rmSync } from 'node:fs';
    rmSync(${JSON.stringify(cache)}, { recursive: true });`,
  );
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const { status, stderr } = spawnSync(process.execPath, [module], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
