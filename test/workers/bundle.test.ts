import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTracing } from '../../activities/tracing.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';

const { plugin, stop } = createTracing('trustcheck-test', undefined);
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

it('a bundle is made once, kept under what it was made of, and the oldest give way', async () => {
  const old = Array.from({ length: 10 }, (_, index) => join(folder, `${index}.js`));
  for (const [index, path] of old.entries()) {
    await writeFile(path, '');
    await utimes(path, index, index);
  }
  const made = await codeOf(folder);
  expect(made).toContain('trustCheck');
  const names = await readdir(folder);
  expect(names).toHaveLength(8);
  expect(names).not.toContain('2.js');
  const [name = ''] = names.filter((each) => /^[0-9a-f]{64}\.js$/.test(each));
  expect(await readFile(join(folder, name), 'utf8')).toBe(made);

  await writeFile(join(folder, name), 'what is kept is taken');
  expect(await codeOf(folder)).toBe('what is kept is taken');
});

it('a place that cannot be written to is no reason not to start', async () => {
  expect(await codeOf('/dev/null/bundles')).toContain('trustCheck');
});
