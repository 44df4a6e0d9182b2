import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownDirectory, trustcheck } from './run-command.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
});
afterEach(() => directory.remove());

describe('what can be no data directory is told in one line, with the way out', () => {
  it.each([['start'], ['reset']])('to %s', async (name) => {
    const [nowhere, file] = [join(directory.path, 'nowhere'), join(directory.path, 'file')];
    symlinkSync(nowhere, state);
    writeFileSync(file, '');
    const long = join(directory.path, ...Array.from({ length: 3 }, () => 'd'.repeat(200)));
    const lengths = `its path has ${long.length} bytes, and 480 are taken`;
    const link = `${state} is a link to ${nowhere}, which is not there`;
    for (const [path, why, fix] of [
      [state, link, 'make that, or set DATA_DIR'],
      [join(state, 'below'), link, 'make that, or set DATA_DIR'],
      [file, `${file} is no directory`, 'move it away, or set DATA_DIR'],
      [join(file, 'below'), `${file} is no directory`, 'move it away, or set DATA_DIR'],
      [long, lengths, 'set DATA_DIR to a shorter one'],
    ] as const) {
      const { code, stdout, stderr } = await trustcheck(path, [name]).ended;
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`cannot write to ${path} (${why}); ${fix}\n`);
    }
    expect(readdirSync(directory.path).sort()).toEqual(['file', 'state']);
  });

  it.skipIf(process.getuid?.() === 0)('one that is not ours to write to', async () => {
    mkdirSync(state, { mode: 0o500 });
    const { code, stderr } = await trustcheck(state, ['start']).ended;
    expect(code).toBe(1);
    const why = `(${state} cannot be written to); set DATA_DIR`;
    expect(stderr).toBe(`cannot write to ${state} ${why}\n`);
  });
});
