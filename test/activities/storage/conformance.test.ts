import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { createS3Store } from '../../../activities/storage/s3.ts';
import { startVersitygw, type RunningS3 } from '../../support/stand-ins/versitygw.ts';

const directory = await mkdtemp(join(tmpdir(), 'trustcheck-objects-'));
const disk = createDiskStore({
  directory: await mkdtemp(join(directory, 'disk-')),
  baseUrl: 'http://127.0.0.1:1',
  secret: () => Buffer.alloc(32, 7),
  clock: () => new Date(),
});
const bucket = 'objects';
const region = 'us-east-1';
let server: RunningS3 | null = null;
let s3: ObjectStore | null = null;
let reason = '';

beforeAll(async () => {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    server = await startVersitygw(join(directory, 's3'), say);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    say(`the s3 driver is not tested: ${reason}`);
    return;
  }
  const { endpoint, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  s3 = createS3Store({ ...server, bucket, region });
}, 300_000);

afterAll(async () => {
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

type Skip = (why: string) => never;
const drivers: Readonly<Record<string, (skip: Skip) => ObjectStore>> = {
  disk: () => disk,
  s3: (skip) => s3 ?? skip(reason),
};

const body = Buffer.from('some bytes');
const contentType = 'application/octet-stream';
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.each(Object.keys(drivers))('the %s driver', (name) => {
  const storeOf = drivers[name] ?? (() => disk);

  it('returns what was stored, and null for a missing key', async ({ skip }) => {
    const store = storeOf(skip);
    const put = await store.put({ key: 'a/b.txt', body, contentType });
    expect(put).toEqual({ sha256: hashOf(body), stored: true });
    expect(Buffer.from((await store.get('a/b.txt')) ?? []).equals(body)).toBe(true);
    expect(await store.get('a/none')).toBeNull();
    expect(await store.get('a')).toBeNull();
    await expect(store.health()).resolves.toBeUndefined();
  });

  it('removes an object, and removing it again is no error', async ({ skip }) => {
    const store = storeOf(skip);
    await store.put({ key: 'gone/x', body, contentType });
    await store.remove('gone/x');
    await store.remove('gone/x');
    expect(await store.get('gone/x')).toBeNull();
    const again = await store.put({ key: 'gone/x', body, contentType, ifAbsent: true });
    expect(again.stored).toBe(true);
  });

  it('erases a key and everything below it, but no key with the same prefix', async ({ skip }) => {
    const store = storeOf(skip);
    const keys = ['erased/x', 'erased/x1', 'erased/x2/a', 'erased/x2/b/c', 'erased/x22/a'];
    for (const key of keys) await store.put({ key, body, contentType });
    await store.erase('erased/x2');
    await store.erase('erased/x');
    await store.erase('erased/none/at/all');
    const left = [];
    for (const key of keys) if (await store.get(key)) left.push(key);
    expect(left).toEqual(['erased/x1', 'erased/x22/a']);
    const again = await store.put({ key: 'erased/x2/a', body, contentType, ifAbsent: true });
    expect(again.stored).toBe(true);
  });

  it('overwrites without ifAbsent', async ({ skip }) => {
    const store = storeOf(skip);
    const other = Buffer.from('other');
    await store.put({ key: 'over/x', body, contentType });
    expect((await store.put({ key: 'over/x', body: other, contentType })).stored).toBe(true);
    expect(Buffer.from((await store.get('over/x')) ?? []).equals(other)).toBe(true);
  });

  it.for([0, 1, 1_000_003])('stores %d bytes unchanged', async (sizeBytes, { skip }) => {
    const store = storeOf(skip);
    const bytes = randomBytes(sizeBytes);
    const key = `sized/${sizeBytes}`;
    expect((await store.put({ key, body: bytes, contentType })).sha256).toBe(hashOf(bytes));
    expect(hashOf((await store.get(key)) ?? Buffer.from('nothing'))).toBe(hashOf(bytes));
  });

  it('stores a view into a larger buffer', async ({ skip }) => {
    const store = storeOf(skip);
    const view = new Uint8Array(Buffer.from('before some bytes after').buffer.slice(0)).subarray(2);
    await store.put({ key: 'view/x', body: view, contentType });
    expect(Buffer.from((await store.get('view/x')) ?? []).equals(Buffer.from(view))).toBe(true);
  });

  it('stores once with ifAbsent, and rejects other bytes but not the same', async ({ skip }) => {
    const store = storeOf(skip);
    const put = (bytes: Buffer) =>
      store.put({ key: 'once/x', body: bytes, contentType, ifAbsent: true });
    expect((await put(body)).stored).toBe(true);
    expect((await put(body)).stored).toBe(false);
    for (const other of [Buffer.from('other'), Buffer.from('some bytez'), Buffer.alloc(0)]) {
      await expect(put(other)).rejects.toMatchObject({ code: 'object_conflict' });
    }
    expect(Buffer.from((await store.get('once/x')) ?? []).equals(body)).toBe(true);
  });

  it('lets one of fifty writers of the same bytes store them', async ({ skip }) => {
    const store = storeOf(skip);
    const puts = Array.from({ length: 50 }, () =>
      store.put({ key: 'same/x', body, contentType, ifAbsent: true }),
    );
    const results = await Promise.all(puts);
    expect(results.filter(({ stored }) => stored)).toHaveLength(1);
    expect(new Set(results.map(({ sha256 }) => sha256))).toEqual(new Set([hashOf(body)]));
  });

  it('lets one of fifty writers of different bytes win', async ({ skip }) => {
    const store = storeOf(skip);
    const bodies = Array.from({ length: 50 }, (_, index) => Buffer.from(`writer ${index}`));
    const results = await Promise.allSettled(
      bodies.map(async (bytes) =>
        store.put({ key: 'race/x', body: bytes, contentType, ifAbsent: true }),
      ),
    );
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(won).toHaveLength(1);
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    for (const error of lost) expect(error).toMatchObject({ code: 'object_conflict' });
    expect(hashOf((await store.get('race/x')) ?? Buffer.alloc(0))).toBe(won[0]?.sha256);
  });

  it.for([
    ['nothing', ''],
    ['a leading slash', '/a'],
    ['a way up', '../a'],
    ['a way up inside', 'a/../b'],
    ['an empty segment', 'a//b'],
    ['a trailing slash', 'a/'],
    ['a backslash', 'a\\b'],
    ['a hidden file', '.hidden'],
    ['the folder of unfinished files', '.aside/x'],
    ['a zero byte', 'a/\u0000'],
    ['a line break', 'a\nb'],
    ['a query', 'a?b'],
    ['an escape', 'a%2e%2e'],
    ['digits of another script', 'a\u0661'],
    ['an emoji', 'a😀'],
    ['513 characters', 'x/'.repeat(256) + 'x'],
    ['a segment too long for a file name', 'x'.repeat(256)],
    ['a megabyte', 'x'.repeat(1_000_000)],
  ])('refuses a key with %s in every operation', async ([, key = ''], { skip }) => {
    const store = storeOf(skip);
    const refusal = { code: 'object_key_invalid' };
    await expect(store.get(key)).rejects.toMatchObject(refusal);
    await expect(store.put({ key, body, contentType })).rejects.toMatchObject(refusal);
    await expect(store.remove(key)).rejects.toMatchObject(refusal);
    await expect(store.erase(key)).rejects.toMatchObject(refusal);
    await expect(store.presign(key, { ttlSeconds: 60 })).rejects.toMatchObject(refusal);
  });

  it('accepts the longest key', async ({ skip }) => {
    const store = storeOf(skip);
    const key = `${'x'.repeat(200)}/${'y'.repeat(200)}/${'z'.repeat(100)}.pdf`;
    await store.put({ key, body, contentType });
    expect(hashOf((await store.get(key)) ?? Buffer.alloc(0))).toBe(hashOf(body));
  });

  it.for(['', 'text', 'text/html\r\nx: y', 'text/html; charset=utf-8; x', 'a/'.repeat(5000)])(
    'refuses the media type %j',
    async (type, { skip }) => {
      const store = storeOf(skip);
      const refusal = { code: 'object_key_invalid' };
      const put = store.put({ key: 'a', body, contentType: type });
      await expect(put).rejects.toMatchObject(refusal);
      const signed = store.presign('a', { ttlSeconds: 60, contentType: type });
      await expect(signed).rejects.toMatchObject(refusal);
    },
  );

  it.for([0, -1, 121, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'does not sign for %d seconds',
    async (ttlSeconds, { skip }) => {
      const store = storeOf(skip);
      await expect(store.presign('a', { ttlSeconds })).rejects.toMatchObject({
        code: 'object_key_invalid',
      });
    },
  );

  it.for(['a"b', 'a\r\nb', 'ä.pdf', '../x', '', 'x'.repeat(129), '😀'])(
    'does not sign for the file name %j',
    async (filename, { skip }) => {
      const store = storeOf(skip);
      await expect(store.presign('a', { ttlSeconds: 60, filename })).rejects.toMatchObject({
        code: 'object_key_invalid',
      });
    },
  );
});
