import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNamed } from '../../../cli/verify/read-named.ts';
import { tilesAt } from '../../../cli/verify/read-tiles.ts';

const cli = fileURLToPath(new URL('../../../cli/trustcheck.mjs', import.meta.url));
const endless = '/dev/zero';
const mebibyte = 1024 * 1024;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trustcheck-read-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a file that a command reads', () => {
  it('is read up to its limit and refused above it', async () => {
    const path = join(folder, 'file');
    await writeFile(path, Buffer.alloc(mebibyte));
    expect((await readNamed(path, mebibyte)).length).toBe(mebibyte);
    await writeFile(path, Buffer.alloc(mebibyte + 1));
    await expect(readNamed(path, mebibyte)).rejects.toThrow(`${path}: is over 1 MiB, the limit`);
  });

  it('can be an endless device without unbounded use of memory', async () => {
    const before = process.memoryUsage().rss;
    await expect(readNamed(endless)).rejects.toThrow('is over 64 MiB, the limit');
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte);
  });

  it.each([
    ['verify', endless],
    ['verify', 'package.json', '--root', endless],
    ['evidence', 'verify', endless],
    ['evidence', 'coverage', '--master-list', endless, '--root', endless],
  ])('prints one line for an endless file: %s %s %s', (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...words], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).toMatch(/^.*over \d+ MiB.*\n$/);
    expect(status).toBe(words[0] === 'verify' ? 1 : 2);
  });
});

describe('a named pipe that no process writes to', () => {
  const run = (words: readonly string[]) =>
    spawnSync(process.execPath, [cli, ...words], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 60_000,
    });
  const refusal = 'is a named pipe; name a file or /dev/stdin';
  let pipe: string;

  beforeAll(() => {
    pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });

  it.each([
    ['verify', 'PIPE'],
    ['verify', 'package.json', '--root', 'PIPE'],
    ['evidence', 'verify', 'PIPE'],
    ['evidence', 'coverage', '--master-list', 'PIPE', '--root', 'PIPE'],
  ])('is rejected in one line: %s %s %s', (...words) => {
    const { status, stderr } = run(words.map((word) => (word === 'PIPE' ? pipe : word)));
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(`${pipe}: ${refusal}`)]);
    expect(status).toBe(words[0] === 'verify' ? 1 : 2);
  });

  it('is rejected as a tile', async () => {
    await mkdir(join(folder, 'piped', 'tile'), { recursive: true });
    await symlink(pipe, join(folder, 'piped', 'tile', 'pipe'));
    await expect(tilesAt(join(folder, 'piped'))('pipe')).rejects.toThrow('cannot be read');
  });
});

it.each(['cat package.json | "$@" /dev/stdin', '"$@" <(cat package.json)'])(
  'is accepted when the shell writes to it: %s',
  (line) => {
    const words = ['-c', line, 'bash', process.execPath, cli, 'verify'];
    const { stdout, stderr } = spawnSync('bash', words, {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 60_000,
    });
    // The command read the pipe: it reports that the file is no affidavit.
    expect(stdout + stderr).toContain('not_an_affidavit');
  },
);

it('a tile longer than any genuine tile is rejected', async () => {
  await mkdir(join(folder, 'tile'));
  await symlink(endless, join(folder, 'tile', 'endless'));
  await expect(tilesAt(folder)('endless')).rejects.toThrow('cannot be read');
});
