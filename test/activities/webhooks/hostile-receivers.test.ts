import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deliver } from '../../../activities/delivery/webhooks/deliver.ts';
import { secretContext } from '../../../activities/delivery/webhooks/secret-context.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createPlaces } from '../../../activities/runtime/places.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addEndpoint, addSample, markStarted } from '../../../db/queries/webhooks.ts';
import { accountOwner, createSealer, type Sealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl, dataDir } = ownPlatform();
let db: Db;
let sealer: Sealer;
const servers: Server[] = [];
const connections: Socket[] = [];
const places = createPlaces({ most: 2, mostOfAccount: 2, retryAfterSeconds: 1 });

beforeAll(() => {
  const keys = loadKeys(`${dataDir}/keys`);
  db = openTestDb(databaseUrl);
  sealer = createSealer(db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});
afterAll(() => db.end());

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.on('connection', (connection: Socket) => {
    connections.push(connection);
    connection.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const http = (answer: RequestListener): Promise<string> => listen(createHttpServer(answer));
/** Starts a receiver that sends these bytes to every connection. */
const raw = (said: string | Buffer, goes = false): Promise<string> =>
  listen(
    createServer((connection) => {
      connection.write(said);
      if (goes) connection.end();
      connection.resume();
    }),
  );

/** Makes one attempt at an endpoint, and returns its stored result. */
async function attempt(url: string, attemptMsMax = 5_000) {
  const now = new Date();
  const id = randomIds.make('we');
  const secret = `whsec_${randomIds.bytes(24).toString('base64')}`;
  const context = secretContext(id);
  await addEndpoint(db, {
    endpoint_id: id,
    account_id: own.account_id,
    app_id: null,
    livemode: true,
    url,
    types: ['meeting.ended'],
    description: null,
    secret_sealed: await sealer.seal(accountOwner(own.account_id), context, secret),
    now,
  });
  const deliveryId = randomIds.make('wd');
  const sample = { event_id: randomIds.make('evt') };
  await transaction(db, async (tx) => {
    await addSample(tx, { deliveryId, endpointId: id, sample, now });
    // Already marked as started, so that the relay skips it: the test makes the attempt.
    await markStarted(tx, [deliveryId, now]);
  });
  const deps = { db, sealer, clock: () => new Date(), allowPrivate: true, attemptMsMax, places };
  const { status, retryAfterMs } = await deliver(deps, deliveryId, 1);
  const { rows } = await db.query(
    'SELECT status, error, response_start FROM webhook_attempts WHERE delivery_id = $1',
    [deliveryId],
  );
  expect(rows).toHaveLength(1);
  return { outcome: status, retryAfterMs, ...rows[0] };
}

describe('a webhook receiver', () => {
  it.each([301, 302, 303, 307, 308])(
    'that redirects with %i is not followed, and has not received the event',
    async (status) => {
      let asked = 0;
      const inner = await http((_request, response) => {
        asked += 1;
        response.end('inside');
      });
      const outer = await http((_request, response) => {
        response.writeHead(status, { location: `http://${inner}/latest/meta-data` }).end('on');
      });
      expect(await attempt(`http://${outer}/`)).toEqual({
        outcome: 'retry',
        retryAfterMs: 0,
        status,
        error: null,
        response_start: 'on',
      });
      expect(asked).toBe(0);
    },
  );

  it('that answers with a gigabyte is read for a kibibyte', async () => {
    let sentBytes = 0;
    const part = Buffer.alloc(1024 * 1024, 'x');
    const at = await http((_request, response) => {
      response.writeHead(500, { 'content-length': String(2 ** 30) });
      const more = (): void => {
        while (sentBytes < 2 ** 30 && !response.destroyed) {
          sentBytes += part.length;
          if (!response.write(part)) return void response.once('drain', more);
        }
      };
      more();
    });
    const made = await attempt(`http://${at}/`);
    expect(made).toMatchObject({ outcome: 'retry', status: 500, error: null });
    expect(made.response_start).toBe('x'.repeat(1024));
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  it.each<[string, () => Promise<string>, unknown]>([
    ['never answers', () => raw(''), 'ATTEMPT_TIMEOUT'],
    ['begins a head and stops', () => raw('HTTP/1.1 200 OK\r\nX-A: '), 'ATTEMPT_TIMEOUT'],
    ['sends only early hints', () => raw('HTTP/1.1 103 Early Hints\r\n\r\n'), 'ATTEMPT_TIMEOUT'],
  ])('that %s is given up after the time limit', async (_what, at, error) => {
    const made = await attempt(`http://${await at()}/`, 600);
    expect(made).toEqual({
      outcome: 'retry',
      retryAfterMs: 0,
      status: null,
      error,
      response_start: null,
    });
  });

  it.each<[string, () => Promise<string>]>([
    ['speaks no HTTP', () => raw('SSH-2.0-OpenSSH_9.9\r\n')],
    ['closes the connection at once', () => raw('', true)],
    ['sends random bytes', () => raw(randomIds.bytes(512))],
    [
      'has a megabyte of headers',
      () => raw(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(2 ** 20)}\r\n\r\n`),
    ],
    [
      'closes the connection during its answer',
      () => raw('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf', true),
    ],
    [
      'breaks its chunks',
      () => raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n', true),
    ],
    [
      'has two lengths',
      () => raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'),
    ],
    [
      'changes the protocol',
      () => raw('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
  ])('that %s fails with the name of the fault', async (_what, at) => {
    const made = await attempt(`http://${await at()}/`, 2_000);
    expect(made).toMatchObject({ outcome: 'retry', status: null, response_start: null });
    expect(made.error).toMatch(/^[A-Z][A-Z0-9_]{2,60}$/);
  });

  it.each<[string, () => Promise<string>]>([
    ['none', () => http((_request, response) => response.end('plain'))],
    ['a handshake that is cut off', () => raw(Buffer.from('1603030040020000', 'hex'), true)],
    ['random bytes', () => raw(randomIds.bytes(512))],
  ])('with TLS of this kind fails and receives nothing: %s', async (_what, at) => {
    const made = await attempt(`https://${await at()}/`, 2_000);
    expect(made).toMatchObject({ outcome: 'retry', status: null, response_start: null });
    expect(made.error).toMatch(/^[A-Z][A-Z0-9_]{2,60}$/);
  });

  const dayMs = 24 * 3600_000;
  it.each<[string, number]>([
    ['120', 120_000],
    ['9'.repeat(9), dayMs],
    ['Fri, 31 Dec 9999 23:59:59 GMT', dayMs],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['-1', 0],
    ['x', 0],
    ['1e9', 0],
    ['', 0],
  ])('that answers 503 with Retry-After %j is not called for %i ms', async (wait, retryAfterMs) => {
    const at = await http((_request, response) => {
      response.writeHead(503, { 'retry-after': wait }).end();
    });
    expect(await attempt(`http://${at}/`)).toMatchObject({
      outcome: 'retry',
      status: 503,
      retryAfterMs,
    });
  });

  it.each([true, false])(
    'that names a date is not called until then, with its own Date %s',
    async (hasDate) => {
      const at = await http((_request, response) => {
        response.sendDate = hasDate;
        const later = new Date(Date.now() + 600_000).toUTCString();
        response.writeHead(503, { 'retry-after': later }).end();
      });
      const { retryAfterMs } = await attempt(`http://${at}/`);
      expect(retryAfterMs).toBeGreaterThan(500_000);
      expect(retryAfterMs).toBeLessThanOrEqual(600_000);
    },
  );
});
