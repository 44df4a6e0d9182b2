import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { createS3Store } from '../../../activities/storage/s3.ts';
import { activityEnvironment } from '../../support/checks/activity-environment.ts';

const root = await mkdtemp(join(tmpdir(), 'trustcheck-health-'));
const now = new Date('2026-01-02T03:04:05.600Z');
const secret = () => Buffer.alloc(32, 7);
const options = { baseUrl: 'https://trust.test', secret, clock: () => now };
const bucket = 'objects';
const body = Buffer.from('some bytes');
const contentType = 'application/pdf';
const full = { code: 'dependency_unavailable' };
const server = createServer();

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(root, { recursive: true, force: true });
});

describe('the health of the disk store', () => {
  const directoryOf = async (name: string): Promise<string> => {
    const directory = join(root, name);
    await mkdir(directory);
    return directory;
  };

  it('fails when no file can be written', async () => {
    const directory = await directoryOf('no-room');
    const program = new URL('tell-health.ts', import.meta.url).pathname;
    const told = async (limit: string): Promise<string> => {
      // Limits the file size of the process in blocks; 0 acts like a full disk.
      const command = `ulimit -f ${limit}; exec "$0" "$@"`;
      const child = spawn('sh', ['-c', command, process.execPath, program, directory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return text(child.stdout);
    };
    expect(await told('0')).toBe('dependency_unavailable');
    expect(await told('unlimited')).toBe('good');
    expect(await readdir(join(directory, '.aside'))).toEqual([]);
  });

  it('fails when less space is free than uploads need', async () => {
    const directory = await directoryOf('little-room');
    const healthOf = (freeBytesMin: number) =>
      createDiskStore({ ...options, directory, freeBytesMin }).health();
    await expect(healthOf(Number.MAX_SAFE_INTEGER)).rejects.toMatchObject(full);
    await expect(healthOf(0)).resolves.toBeUndefined();
  });

  it('is tested every two seconds at most, and recovers', async () => {
    const directory = await directoryOf('healing');
    let atMs = now.getTime();
    const clock = (): Date => new Date(atMs);
    const store = createDiskStore({ ...options, directory, clock });
    await store.health();
    const aside = join(directory, '.aside');
    await rm(aside, { recursive: true });
    await writeFile(aside, 'in the way');
    atMs += 1_999;
    await store.health();
    atMs += 1;
    const asked = Array.from({ length: 50 }, () => store.health());
    for (const one of asked) await expect(one).rejects.toMatchObject(full);
    await rm(aside);
    atMs += 1_999;
    await expect(store.health()).rejects.toMatchObject(full);
    atMs += 1;
    await store.health();
    // A clock that is set back does not extend the cached answer.
    await rm(aside, { recursive: true });
    await writeFile(aside, 'in the way');
    atMs -= 3_600_000;
    await expect(store.health()).rejects.toMatchObject(full);
  });
});

function bucketAt(at: Server): ObjectStore {
  const address = at.address();
  return createS3Store({
    endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    bucket,
    region: 'us-east-1',
    accessKeyId: 'an-access-key-id',
    secretAccessKey: 'a-secret-access-key',
  });
}

describe('the health of a bucket', () => {
  it('depends on the last put: fails after a failed one until one succeeds', async () => {
    let isFull = false;
    const puts: string[] = [];
    server.on('request', (incoming, answer) => {
      incoming.resume().on('end', () => {
        if (incoming.method !== 'PUT') return void answer.writeHead(200).end();
        puts.push(String(incoming.url).split('?')[0] ?? '');
        answer.writeHead(isFull ? 507 : 200).end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const store = bucketAt(server);
    for (const ifAbsent of [true, false]) {
      const put = () => store.put({ key: 'x', body, contentType, ifAbsent });
      isFull = false;
      await put();
      puts.length = 0;
      await store.health();
      expect(puts).toEqual([]);
      isFull = true;
      await expect(put()).rejects.toMatchObject(full);
      await expect(store.health()).rejects.toMatchObject(full);
      isFull = false;
      puts.length = 0;
      await store.health();
      await store.health();
      expect(puts).toEqual([`/${bucket}/health/last-try`]);
    }
  });

  it('does not change when the activity of a put is canceled', async () => {
    const methods: string[] = [];
    const silent = createServer(({ method = '' }, answer) => {
      methods.push(method);
      if (method !== 'PUT') answer.writeHead(200).end();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const store = bucketAt(silent);
    const environment = activityEnvironment();
    const running = environment.run(() => store.put({ key: 'x', body, contentType }));
    await expect.poll(() => methods).toEqual(['PUT']);
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await store.health();
    expect(methods).toEqual(['PUT', 'HEAD']);
    silent.closeAllConnections();
    silent.close();
  });
});
