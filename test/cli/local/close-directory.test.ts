import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeDirectory } from '../../../cli/local/close-directory.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
const inState = (name: string): string => join(state, name);
const modeOf = async (path: string): Promise<string> =>
  ((await fs.lstat(path)).mode & 0o777).toString(8);

beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
  for (const name of ['keys/retired', 'phones', 'logs', 'objects', 'postgres']) {
    await fs.mkdir(inState(name), { recursive: true });
  }
  for (const name of ['keys/root.key.pem', 'keys/retired/a.key.pem', 'phones/ios.json']) {
    await fs.writeFile(inState(name), 'secret');
  }
  for (const name of ['ports.json', 'seed.json', 'temporal.db', 'postgres.new']) {
    await fs.writeFile(inState(name), 'secret');
  }
  await fs.writeFile(join(state, 'postgres', 'PG_VERSION'), '18\n');
});
afterEach(() => directory.remove());

describe('the data directory', () => {
  it('becomes readable by its owner only, with all files in it', async () => {
    await fs.chmod(state, 0o755);
    await closeDirectory(state);
    expect(await modeOf(state)).toBe('700');
    for (const name of ['keys', 'keys/retired', 'phones', 'logs', 'objects']) {
      expect([name, await modeOf(inState(name))]).toEqual([name, '700']);
    }
    for (const name of ['keys/root.key.pem', 'keys/retired/a.key.pem', 'phones/ios.json']) {
      expect([name, await modeOf(inState(name))]).toEqual([name, '600']);
    }
    expect([await modeOf(inState('seed.json')), await modeOf(inState('temporal.db'))]).toEqual([
      '600',
      '600',
    ]);
    expect(await fs.readdir(inState('postgres'))).toEqual(['PG_VERSION']);
    await closeDirectory(state);
    expect(await modeOf(state)).toBe('700');
  });

  it('keeps its own mode when it holds files of others', async () => {
    await fs.writeFile(inState('notes.txt'), 'mine', { mode: 0o644 });
    await fs.chmod(state, 0o755);
    await closeDirectory(state);
    expect([await modeOf(state), await modeOf(inState('notes.txt'))]).toEqual(['755', '644']);
    expect([await modeOf(inState('keys')), await modeOf(inState('keys/root.key.pem'))]).toEqual([
      '700',
      '600',
    ]);
    expect(await fs.readdir(inState('postgres'))).toEqual(['PG_VERSION']);
  });

  it('does not follow a link that leaves it', async () => {
    const outside = join(directory.path, 'outside');
    await fs.mkdir(outside);
    await fs.symlink(outside, inState('keys/elsewhere'));
    await fs.chmod(outside, 0o755);
    await closeDirectory(state);
    expect(await modeOf(outside)).toBe('755');
  });
});
