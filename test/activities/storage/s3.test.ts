import { createServer, request, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createObjectStore, storageConfig } from '../../../activities/storage/config.ts';
import { createS3Store } from '../../../activities/storage/s3.ts';
import { eventually } from '../../support/platform/harness.ts';
import { startVersitygw, type RunningS3 } from '../../support/stand-ins/versitygw.ts';

const directory = await mkdtemp(join(tmpdir(), 'trustcheck-s3-'));
const bucket = 'objects';
const region = 'us-east-1';
const secretAccessKey = 'not-to-be-seen-anywhere';
const body = Buffer.from('some bytes');
const contentType = 'application/octet-stream';
let gateway: RunningS3 | null = null;
let reason = '';
const servers = new Set<Server>();

beforeAll(async () => {
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    gateway = await startVersitygw(join(directory, 's3'), say);
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
    say(`the s3 driver is not tested against a server: ${reason}`);
    return;
  }
  const client = new S3Client({
    endpoint: gateway.endpoint,
    region,
    forcePathStyle: true,
    credentials: gateway,
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
}, 300_000);

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await gateway?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.add(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** Starts a proxy to the gateway that drops the first answers to a method. */
async function lossyWayTo(endpoint: string, method: string, lostMax: number): Promise<string> {
  let lost = 0;
  return serve((incoming, outgoing) => {
    const { hostname, port } = new URL(endpoint);
    const { method: asked = 'GET', url: path = '/', headers } = incoming;
    const forward = request({ hostname, port, method: asked, path, headers }, (answer) => {
      if (asked === method && lost < lostMax) {
        lost += 1;
        answer.resume();
        incoming.socket.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forward);
  });
}

const at = (endpoint: string, operationTimeoutMs = 700) =>
  createS3Store({
    endpoint,
    bucket,
    region,
    accessKeyId: 'an-access-key-id',
    secretAccessKey,
    operationTimeoutMs,
  });

describe('signed addresses of the S3 driver', () => {
  it('open their object under its name and type, and nothing else', async ({ skip }) => {
    if (!gateway) return skip(reason);
    const store = createS3Store({ ...gateway, bucket, region });
    await store.put({ key: 'signed/x', body, contentType });
    await store.put({ key: 'signed/y', body, contentType });
    const url = await store.presign('signed/x', {
      ttlSeconds: 60,
      filename: 'x.bin',
      contentType: 'application/pdf',
    });
    const good = await fetch(url);
    expect([good.status, good.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(good.headers.get('content-disposition')).toBe('attachment; filename="x.bin"');
    expect(Buffer.from(await good.arrayBuffer()).equals(body)).toBe(true);
    const changed = [
      url.replace('signed/x', 'signed/y'),
      url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'),
      url.replace('x.bin', 'y.bin'),
      url.replace('application%2Fpdf', 'text%2Fhtml'),
      url.split('?')[0] ?? '',
    ];
    for (const wrong of changed)
      expect([wrong === url, (await fetch(wrong)).status]).toEqual([false, 403]);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  });

  it('expire', async ({ skip }) => {
    if (!gateway) return skip(reason);
    const store = createS3Store({ ...gateway, bucket, region });
    await store.put({ key: 'signed/z', body, contentType });
    const url = await store.presign('signed/z', { ttlSeconds: 3 });
    const stillThere = await store.presign('signed/z', { ttlSeconds: 120 });
    await eventually('its end', async () => (await fetch(url)).status === 403);
    expect((await fetch(stillThere)).status).toBe(200);
  });

  it('are made without a request, and name the public endpoint', async () => {
    const store = createS3Store({
      endpoint: 'http://127.0.0.1:1',
      publicEndpoint: 'https://files.test',
      bucket,
      region,
      accessKeyId: 'an-access-key-id',
      secretAccessKey,
    });
    const url = new URL(await store.presign('signed/x', { ttlSeconds: 120 }));
    expect(`${url.origin}${url.pathname}`).toBe('https://files.test/objects/signed/x');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('120');
    expect(url.href).not.toContain(secretAccessKey);
  });
});

describe('the S3 driver after a fault', () => {
  it('recognizes its own bytes when the answer to a put was lost', async ({ skip }) => {
    if (!gateway) return skip(reason);
    const endpoint = await lossyWayTo(gateway.endpoint, 'PUT', 1);
    const store = createS3Store({ ...gateway, endpoint, bucket, region });
    const put = await store.put({ key: 'lost/x', body, contentType, ifAbsent: true });
    expect(put.stored).toBe(false);
    expect(Buffer.from((await store.get('lost/x')) ?? []).equals(body)).toBe(true);
  });

  it('treats a missing bucket as a fault, not as a missing object', async ({ skip }) => {
    if (!gateway) return skip(reason);
    const store = createS3Store({ ...gateway, bucket: 'no-such-bucket', region });
    const fault = { code: 'dependency_unavailable' };
    await expect(store.get('x')).rejects.toMatchObject(fault);
    await expect(store.put({ key: 'x', body, contentType })).rejects.toMatchObject(fault);
    await expect(store.remove('x')).rejects.toMatchObject(fault);
    await expect(store.health()).rejects.toMatchObject(fault);
  });

  it('hides keys and content when its credentials are refused', async ({ skip }) => {
    if (!gateway) return skip(reason);
    const { accessKeyId } = gateway;
    for (const credentials of [
      { accessKeyId, secretAccessKey },
      { accessKeyId: 'an-unknown-key-id', secretAccessKey },
    ]) {
      const store = createS3Store({ ...gateway, ...credentials, bucket, region });
      const fault = await store
        .put({ key: 'x', body, contentType })
        .then(String, (error: unknown) => error);
      expect(fault).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 2 });
      const shown = inspect(fault, { depth: Infinity, showHidden: true });
      for (const hidden of [credentials.accessKeyId, secretAccessKey, 'some bytes', 'Signature=']) {
        expect(shown).not.toContain(hidden);
      }
    }
  });

  const faults: Readonly<Record<string, RequestListener>> = {
    'never answers': () => undefined,
    'closes the connection': (incoming) => void incoming.socket.destroy(),
    'answers 500': (_, answer) =>
      void answer.writeHead(500).end('<Error><Code>InternalError</Code></Error>'),
    'answers 503': (_, answer) =>
      void answer.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'),
    'answers with noise': (_, answer) => void answer.writeHead(418).end('\u0000<<<not xml'),
    'begins an answer and closes': (incoming, answer) => {
      answer.writeHead(200, { 'Content-Length': '1000' });
      answer.write('the beginning', () => incoming.socket.destroy());
    },
    'begins an answer and stops': (_, answer) => {
      answer.writeHead(200, { 'Content-Length': '1000' });
      answer.write('the beginning');
    },
  };

  it.for(Object.entries(faults))('gives up on a server that %s', async ([, listener]) => {
    const store = at(await serve(listener));
    await expect(store.get('x')).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });

  it.for([
    ['never answered', () => undefined],
    ['answered with 500', (_, answer) => void answer.writeHead(500).end()],
  ] as [string, RequestListener][])('asks three times when %s', async ([, listener]) => {
    let asked = 0;
    const endpoint = await serve((incoming, answer) => {
      asked += 1;
      listener(incoming, answer);
    });
    const get = at(endpoint, 2_000).get('x');
    await expect(get).rejects.toMatchObject({ code: 'dependency_unavailable' });
    expect(asked).toBe(3);
  });

  it('gives up on a put without an answer, and on a closed port', async () => {
    const hanging = at(await serve(() => undefined));
    const fault = { code: 'dependency_unavailable' };
    for (const ifAbsent of [true, false]) {
      const put = hanging.put({ key: 'x', body, contentType, ifAbsent });
      await expect(put).rejects.toMatchObject(fault);
    }
    await expect(at('http://127.0.0.1:1').health()).rejects.toMatchObject(fault);
  });

  it('gives up when every conditional put is refused but no object exists', async () => {
    const endpoint = await serve((incoming, answer) => {
      incoming
        .resume()
        .on('end', () => answer.writeHead(incoming.method === 'PUT' ? 409 : 404).end());
    });
    const put = at(endpoint).put({ key: 'x', body, contentType, ifAbsent: true });
    await expect(put).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });

  it('compares the bytes when the server has no checksum', async () => {
    let lies = body;
    const endpoint = await serve((incoming, answer) => {
      incoming.resume().on('end', () => {
        if (incoming.method === 'PUT') answer.writeHead(412).end();
        else answer.writeHead(200, { 'Content-Length': lies.length }).end(lies);
      });
    });
    const put = () => at(endpoint).put({ key: 'x', body, contentType, ifAbsent: true });
    expect((await put()).stored).toBe(false);
    lies = Buffer.from('same sizes');
    await expect(put()).rejects.toMatchObject({ code: 'object_conflict' });
  });
});

describe('the settings of the store', () => {
  const base = { DATA_DIR: directory, BASE_URL: 'https://trust.test' };
  const clock = (): Date => new Date('2026-01-02T03:04:05Z');
  const make = async (settings: Readonly<Record<string, string>>) =>
    createObjectStore({ ...storageConfig.parse(settings), ...base }, () => Buffer.alloc(32), clock);
  const whole = {
    S3_ENDPOINT: 'https://s3.test',
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: 'an-access-key-id',
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };

  it('select the disk when absent, and S3 when complete', async () => {
    const sign = { ttlSeconds: 60 };
    expect(await (await make({})).presign('x', sign)).toMatch(
      /^https:\/\/trust\.test\/objects\/x\?/,
    );
    expect(await (await make(whole)).presign('x', sign)).toMatch(
      /^https:\/\/s3\.test\/objects\/x\?/,
    );
  });

  it.for(Object.keys(whole))(
    'are rejected without %s by name, and without printing a value',
    async (name) => {
      const partial = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
      const fault = await make(partial).then(String, String);
      expect(fault).toContain(name);
      expect(fault).not.toContain(secretAccessKey);
    },
  );

  it.for([
    ['S3_ENDPOINT', 'ftp://s3.test'],
    ['S3_ENDPOINT', 's3.test'],
    ['S3_BUCKET', 'UPPER'],
    ['S3_BUCKET', '../objects'],
    ['S3_BUCKET', 'a'],
    ['S3_SECRET_ACCESS_KEY', ''],
  ] as const)('refuse %s=%s', ([name, value]) => {
    expect(storageConfig.safeParse({ ...whole, [name]: value }).success).toBe(false);
  });
});
