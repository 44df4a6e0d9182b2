import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore, isDiskUrlGood } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { createS3Store } from '../../../activities/storage/s3.ts';
import { startVersitygw, type RunningS3 } from '../../../cli/platform/versitygw.ts';

const secret = Buffer.alloc(32, 7);
const directory = await mkdtemp(join(tmpdir(), 'trustcheck-objects-'));
let server: RunningS3 | null = null;
let reason = '';
const stores = new Map<string, ObjectStore>();

beforeAll(async () => {
  stores.set(
    'disk',
    createDiskStore({
      directory: join(directory, 'disk'),
      baseUrl: 'http://127.0.0.1:1',
      secret,
      clock: () => new Date(),
    }),
  );
  try {
    server = await startVersitygw(
      join(directory, 's3'),
      (line) => void process.stderr.write(`${line}\n`),
    );
    const { endpoint, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    });
    await client.send(new CreateBucketCommand({ Bucket: 'objects' }));
    stores.set('s3', createS3Store({ ...server, bucket: 'objects', region: 'us-east-1' }));
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`the s3 driver is not tested: ${reason}\n`);
  }
}, 300_000);

afterAll(async () => {
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

const body = Buffer.from('some bytes');
const contentType = 'application/octet-stream';

describe.each(['disk', 's3'])('the %s driver', (name) => {
  const storeOf = (skip: (why: string) => void): ObjectStore => {
    const store = stores.get(name);
    if (!store) skip(reason);
    return store as ObjectStore;
  };

  it('gives back what was put, and null where nothing was', async ({ skip }) => {
    const store = storeOf(skip);
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(await store.put({ key: 'a/b.txt', body, contentType })).toEqual({
      sha256,
      stored: true,
    });
    expect(Buffer.from((await store.get('a/b.txt')) ?? []).equals(body)).toBe(true);
    expect(await store.get('a/none')).toBeNull();
    await store.remove('a/b.txt');
    await store.remove('a/b.txt');
    expect(await store.get('a/b.txt')).toBeNull();
    await expect(store.health()).resolves.toBeUndefined();
  });

  it('stores once with ifAbsent, and tells the same bytes from others', async ({ skip }) => {
    const store = storeOf(skip);
    const put = (bytes: Buffer) =>
      store.put({ key: 'once/x', body: bytes, contentType, ifAbsent: true });
    expect((await put(body)).stored).toBe(true);
    expect((await put(body)).stored).toBe(false);
    await expect(put(Buffer.from('other'))).rejects.toMatchObject({ code: 'object_conflict' });
    expect(Buffer.from((await store.get('once/x')) ?? []).equals(body)).toBe(true);
  });

  it('lets one of twenty writers win', async ({ skip }) => {
    const store = storeOf(skip);
    const writers = Array.from({ length: 20 }, (_, index) =>
      store.put({
        key: 'race/x',
        body: Buffer.from(`writer ${index}`),
        contentType,
        ifAbsent: true,
      }),
    );
    const results = await Promise.allSettled(writers);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each(['', '/a', '../a', 'a/../b', 'a//b', 'a\\b', '.hidden', 'a/\u0000', 'x'.repeat(600)])(
    'refuses the key %j',
    async (key) => {
      const store = stores.get(name);
      if (!store) return;
      await expect(store.get(key)).rejects.toMatchObject({ code: 'object_key_invalid' });
    },
  );

  it.each([0, -1, 121, 1.5, Number.NaN])('does not sign for %d seconds', async (ttlSeconds) => {
    const store = stores.get(name);
    if (!store) return;
    await expect(store.presign('a', { ttlSeconds })).rejects.toMatchObject({
      code: 'object_key_invalid',
    });
  });
});

describe('signed addresses', () => {
  it('of the s3 driver open that object for a short time and nothing else', async ({ skip }) => {
    const store = stores.get('s3');
    if (!store) return skip(reason);
    await store.put({ key: 'signed/x', body, contentType });
    const url = await store.presign('signed/x', {
      ttlSeconds: 60,
      filename: 'x.bin',
      contentType: 'application/pdf',
    });
    const good = await fetch(url);
    expect([good.status, good.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(good.headers.get('content-disposition')).toBe('attachment; filename="x.bin"');
    expect((await fetch(url.replace('signed/x', 'signed/y'))).status).toBe(403);
    expect((await fetch(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'))).status).toBe(403);
    expect((await fetch(url.split('?')[0] ?? '')).status).toBe(403);
  });

  it('of the disk driver hold for their key, name, type and time', async () => {
    const store = stores.get('disk');
    const url = new URL((await store?.presign('k/x', { ttlSeconds: 60, filename: 'x.pdf' })) ?? '');
    const part = (name: string): string => url.searchParams.get(name) ?? '';
    const parts = {
      expires: part('expires'),
      filename: part('filename'),
      type: part('type'),
      signature: part('signature'),
    };
    const now = new Date();
    expect(isDiskUrlGood(secret, 'k/x', parts, now)).toBe(true);
    expect(isDiskUrlGood(secret, 'k/y', parts, now)).toBe(false);
    expect(isDiskUrlGood(Buffer.alloc(32), 'k/x', parts, now)).toBe(false);
    expect(isDiskUrlGood(secret, 'k/x', { ...parts, filename: 'y' }, now)).toBe(false);
    expect(isDiskUrlGood(secret, 'k/x', { ...parts, expires: '99999999999' }, now)).toBe(false);
    expect(isDiskUrlGood(secret, 'k/x', { ...parts, signature: '' }, now)).toBe(false);
    expect(isDiskUrlGood(secret, 'k/x', parts, new Date(now.getTime() + 61_000))).toBe(false);
  });

  it('leave no half-written file behind', async () => {
    const files = await readdir(join(directory, 'disk'), { recursive: true });
    expect(files.filter((file) => file.endsWith('.part'))).toEqual([]);
  });
});
