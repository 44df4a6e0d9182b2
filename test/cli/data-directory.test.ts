import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { dataDirectory } from '../../cli/data-directory/data-directory.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'trustcheck-links-')));
mkdirSync(join(directory, 'real', 'data'), { recursive: true });
symlinkSync(join(directory, 'real'), join(directory, 'link'));
symlinkSync(join(directory, 'gone'), join(directory, 'broken'));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(directory, { recursive: true }));

it.each([
  ['real/data', 'real/data'],
  ['link/data', 'real/data'],
  ['link/new', 'real/new'],
  ['broken/data', 'broken/data'],
])('resolves the links of DATA_DIR: %s is the directory %s', (given, expected) => {
  vi.stubEnv('DATA_DIR', join(directory, given));
  expect(dataDirectory()).toBe(join(directory, expected));
});
