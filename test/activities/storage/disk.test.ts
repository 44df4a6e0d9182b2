import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createObjectStore, storageConfig } from '../../../activities/storage/config.ts';
import {
  createDiskStore,
  isDiskUrlGood,
  removeLeftovers,
} from '../../../activities/storage/disk.ts';

const secret = Buffer.alloc(32, 7);
const root = await mkdtemp(join(tmpdir(), 'trustcheck-disk-'));
const now = new Date('2026-01-02T03:04:05.600Z');
const storeIn = (directory: string, clock = (): Date => now) =>
  createDiskStore({ directory, baseUrl: 'https://trust.test', secret: () => secret, clock });
const body = Buffer.from('some bytes');
const contentType = 'application/pdf';

afterAll(async () => rm(root, { recursive: true, force: true }));

describe('addresses of the disk store', () => {
  const partsOf = (url: URL) => {
    const part = (name: string): string => url.searchParams.get(name) ?? '';
    return {
      expires: part('expires'),
      filename: part('filename'),
      type: part('type'),
      signature: part('signature'),
    };
  };
  const sign = async (filename?: string) => {
    const named = filename === undefined ? {} : { filename };
    const options = { ttlSeconds: 60, contentType, ...named };
    return new URL(await storeIn(root).presign('k/x', options));
  };

  it('name their object and are valid for sixty seconds', async () => {
    const url = await sign('x.pdf');
    expect(`${url.origin}${url.pathname}`).toBe('https://trust.test/objects/k/x');
    const parts = partsOf(url);
    expect(parts.filename).toBe('x.pdf');
    expect(isDiskUrlGood([secret], 'k/x', parts, now)).toBe(true);
    expect(isDiskUrlGood([secret], 'k/x', parts, new Date(now.getTime() + 59_000))).toBe(true);
    expect(isDiskUrlGood([secret], 'k/x', parts, new Date(now.getTime() + 60_000))).toBe(false);
  });

  it('are rejected after any change', async () => {
    const parts = partsOf(await sign('x.pdf'));
    const changed = [
      { ...parts, filename: 'y.pdf' },
      { ...parts, filename: '' },
      { ...parts, type: 'text/html' },
      { ...parts, type: '' },
      { ...parts, expires: String(Number(parts.expires) + 1) },
      { ...parts, expires: ` ${parts.expires}` },
      { ...parts, expires: `${parts.expires}.0` },
      { ...parts, expires: '' },
      { ...parts, signature: '' },
      { ...parts, signature: `${parts.signature}=` },
      { ...parts, signature: parts.signature.slice(0, -1) },
      { ...parts, signature: parts.signature.toUpperCase() },
      { ...parts, signature: '😀'.repeat(10_000) },
    ];
    for (const wrong of changed) expect(isDiskUrlGood([secret], 'k/x', wrong, now)).toBe(false);
    for (const key of ['k/y', 'k', '', '../k/x', 'k/x/', 'k%2Fx']) {
      expect(isDiskUrlGood([secret], key, parts, now)).toBe(false);
    }
    expect(isDiskUrlGood([Buffer.alloc(32)], 'k/x', parts, now)).toBe(false);
  });

  it('are rejected with any other spelling of their signature', async () => {
    const parts = partsOf(await sign());
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let place = 0; place < parts.signature.length; place += 1) {
      for (const letter of alphabet) {
        const before = parts.signature.slice(0, place);
        const signature = `${before}${letter}${parts.signature.slice(place + 1)}`;
        const isGood = isDiskUrlGood([secret], 'k/x', { ...parts, signature }, now);
        expect(isGood).toBe(signature === parts.signature);
      }
    }
  });

  it('do not confuse where one part ends and the next begins', async () => {
    const parts = partsOf(await sign('x.pdf'));
    const shifted = { ...parts, filename: 'x.pdf","application/pdf', type: '' };
    expect(isDiskUrlGood([secret], 'k/x', shifted, now)).toBe(false);
  });
});

describe('files of the disk store', () => {
  it('conflict with an object whose key is a folder of theirs', async () => {
    const directory = join(root, 'nested');
    await mkdir(directory);
    const store = storeIn(directory);
    await store.put({ key: 'a/b', body, contentType });
    const conflict = { code: 'object_conflict' };
    for (const ifAbsent of [true, false]) {
      const under = store.put({ key: 'a/b/c', body, contentType, ifAbsent });
      await expect(under).rejects.toMatchObject(conflict);
      const over = store.put({ key: 'a', body, contentType, ifAbsent });
      await expect(over).rejects.toMatchObject(conflict);
    }
    expect(await store.get('a/b/c')).toBeNull();
    await store.remove('a');
    await store.remove('a/b/c');
    expect(Buffer.from((await store.get('a/b')) ?? []).equals(body)).toBe(true);
  });

  it('are complete or absent after their writer was killed', { timeout: 60_000 }, async () => {
    const directory = join(root, 'killed');
    await mkdir(directory);
    const program = new URL('write-forever.ts', import.meta.url).pathname;
    let leftovers = 0;
    // Chance decides whether a kill interrupts a write: repeats until one does.
    for (let round = 0; round < 6 || (leftovers === 0 && round < 100); round += 1) {
      const child = spawn(process.execPath, [program, directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await delay(40 + (round % 6) * 17);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // A child killed before its first write has no folder.
      leftovers += (await readdir(join(directory, '.aside')).catch(() => [])).length;
      const store = storeIn(directory);
      for (let index = 0; index < 8; index += 1) {
        const found = await store.get(`objects/${index}`);
        if (found) expect(Buffer.alloc(2_000_000 + index, index).equals(found)).toBe(true);
      }
    }
    expect(leftovers).toBeGreaterThan(0);
    await removeLeftovers(directory, new Date(Date.now() + 60_000));
    expect(await readdir(join(directory, '.aside'))).toEqual([]);
  });

  it('lose old unfinished files at the next start, but not recent ones', async () => {
    const data = join(root, 'start');
    const aside = join(data, 'objects', '.aside');
    await mkdir(aside, { recursive: true });
    const clock = (): Date => new Date();
    for (const [name, ageMs] of [
      ['old', 2 * 3600_000],
      ['new', 60_000],
    ] as const) {
      await writeFile(join(aside, name), 'half');
      const then = new Date(clock().getTime() - ageMs);
      await utimes(join(aside, name), then, then);
    }
    const config = { ...storageConfig.parse({}), DATA_DIR: data, BASE_URL: 'https://trust.test' };
    await createObjectStore(config, () => secret, clock);
    expect(await readdir(aside)).toEqual(['new']);
  });

  it('leave no unfinished file when a put is refused', async () => {
    const directory = join(root, 'clean');
    await mkdir(directory);
    const store = storeIn(directory);
    await store.put({ key: 'a', body, contentType, ifAbsent: true });
    await expect(
      store.put({ key: 'a', body: Buffer.from('other'), contentType, ifAbsent: true }),
    ).rejects.toMatchObject({ code: 'object_conflict' });
    expect(await readdir(join(directory, '.aside'))).toEqual([]);
  });

  it('are not recreated when their directory is missing, because it may return', async () => {
    const directory = join(root, 'unmounted');
    await mkdir(directory);
    const store = storeIn(directory);
    await store.put({ key: 'a/b', body, contentType });
    await rm(directory, { recursive: true });
    const gone = { code: 'dependency_unavailable' };
    await expect(store.put({ key: 'a/c', body, contentType })).rejects.toMatchObject(gone);
    await expect(store.get('a/b')).rejects.toMatchObject(gone);
    await expect(store.remove('a/b')).rejects.toMatchObject(gone);
    await expect(store.health()).rejects.toMatchObject(gone);
    expect(await readdir(root)).not.toContain('unmounted');
  });

  it('are unavailable on a disk that is a file or read-only', async () => {
    const file = join(root, 'a-file');
    await writeFile(file, '');
    await expect(storeIn(file).health()).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const put = storeIn(file).put({ key: 'a', body, contentType });
    await expect(put).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const closed = join(root, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o500);
    // The superuser can write everywhere.
    if (process.getuid?.() !== 0) {
      await expect(storeIn(closed).health()).rejects.toMatchObject({
        code: 'dependency_unavailable',
      });
    }
  });
});
