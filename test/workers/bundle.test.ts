import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTracing } from '../../activities/runtime/tracing.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';

const { plugin, stop } = await createTracing('trustcheck-test', undefined);
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trustcheck-bundles-'));
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

const codeOf = async (place?: string): Promise<string> => {
  const bundle = await bundleWorkflows(plugin, place);
  return 'code' in bundle ? bundle.code : '';
};

it('a bundle is built once and cached by its inputs, and the oldest files are removed', async () => {
  const nameOf = (index: number) => `${String(index).repeat(64)}.js`;
  const old = Array.from({ length: 10 }, (_, index) => join(folder, nameOf(index)));
  const other = join(folder, 'other.js');
  await writeFile(other, '');
  await utimes(other, 0, 0);
  for (const [index, path] of old.entries()) {
    await writeFile(path, '');
    await utimes(path, index, index);
  }
  const made = await codeOf(folder);
  expect(made).toContain('trustCheck');
  const names = await readdir(folder);
  expect(names).toHaveLength(9);
  expect(names).toContain('other.js');
  expect(names).not.toContain(nameOf(2));
  const before = new Set(old.map((path) => basename(path)));
  const [name = ''] = names.filter((each) => each !== 'other.js' && !before.has(each));
  expect(await readFile(join(folder, name), 'utf8')).toBe(made);

  await writeFile(join(folder, name), 'what is kept is taken');
  expect(await codeOf(folder)).toBe('what is kept is taken');
  await writeFile(join(folder, name), '');
  expect(await codeOf(folder)).toBe(made);
});

it('an unwritable cache folder does not stop the start', async () => {
  expect(await codeOf('/dev/null/bundles')).toContain('trustCheck');
});
