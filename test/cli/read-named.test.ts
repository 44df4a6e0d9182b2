import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNamed } from '../../cli/read-named.ts';
import { tilesAt } from '../../cli/read-tiles.ts';

const cli = fileURLToPath(new URL('../../cli/trustcheck.mjs', import.meta.url));
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

  it('may be a device without an end, and memory stays bounded', async () => {
    const before = process.memoryUsage().rss;
    await expect(readNamed(endless)).rejects.toThrow('is over 64 MiB, the limit');
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte);
  });

  it.each([
    ['verify', endless],
    ['verify', 'package.json', '--root', endless],
    ['evidence', 'verify', endless],
    ['evidence', 'coverage', '--master-list', endless, '--root', endless],
  ])('without an end gives one line: %s %s %s', (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...words], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).toMatch(/^.*over \d+ MiB.*\n$/);
    expect(status).toBe(words[0] === 'verify' ? 1 : 2);
  });
});

it('refuses a tile that is longer than any tile', async () => {
  await mkdir(join(folder, 'tile'));
  await symlink(endless, join(folder, 'tile', 'endless'));
  await expect(tilesAt(folder)('endless')).rejects.toThrow('cannot be read');
});
