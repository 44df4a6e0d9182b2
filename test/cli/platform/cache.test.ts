import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { boundCompiled } from '../../../cli/platform/cache.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-compiled-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the compile cache is emptied when it grows too large, also by concurrent processes', async () => {
  const compiled = join(directory, 'compiled');
  mkdirSync(join(compiled, 'v24'), { recursive: true });
  for (const file of ['1', '2', '3']) writeFileSync(join(compiled, 'v24', file), '');
  await boundCompiled(compiled, 4);
  expect(readdirSync(join(compiled, 'v24'))).toEqual(['1', '2', '3']);
  await Promise.all(Array.from({ length: 5 }, () => boundCompiled(compiled, 3)));
  expect(existsSync(compiled)).toBe(false);
  await boundCompiled(compiled, 3);
});

it('a process ends normally when its compile cache is removed meanwhile', () => {
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
