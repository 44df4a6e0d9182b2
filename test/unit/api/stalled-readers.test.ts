import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createPlaces } from '../../../activities/runtime/places.ts';
import { createApiServer } from '../../../api/http/server/create-server.ts';
import { sendStream } from '../../../api/http/server/stream.ts';

const servers: Server[] = [];
const readers: Socket[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function serve(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends a request, and reads nothing until the caller does. */
async function ask(port: number): Promise<Socket> {
  const reader = connect(port, '127.0.0.1');
  readers.push(reader);
  reader.on('error', () => undefined);
  await new Promise<void>((resolve) => reader.once('connect', resolve));
  reader.pause();
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return reader;
}

/** Far more than the buffers of a connection hold. */
const sizeBytes = 64 * 1024 * 1024;

describe('an idle connection', () => {
  const whole: RequestListener = (_request, response) => response.end(Buffer.alloc(sizeBytes));

  it('is closed together with its pending answer', async () => {
    const ends: Promise<unknown>[] = [];
    const server = createApiServer((request, response) => {
      ends.push(
        new Promise((resolve) => response.once('close', () => resolve(response.writableFinished))),
      );
      whole(request, response);
    }, 300);
    await ask(await serve(server));
    await expect.poll(() => ends.length).toBe(1);
    expect(await ends[0]).toBe(false);
  });

  it('has one minute in the API server', () => {
    expect(createApiServer(whole).timeout).toBe(60_000);
  });
});

describe('sendStream', () => {
  const made = { parts: 0, isEnded: false };
  async function* endless(): AsyncGenerator<Uint8Array> {
    Object.assign(made, { parts: 0, isEnded: false });
    try {
      for (;;) {
        made.parts += 1;
        yield Buffer.alloc(64 * 1024);
      }
    } finally {
      made.isEnded = true;
    }
  }
  const faults: unknown[] = [];
  const stream = (patienceMs: number): RequestListener => {
    return (_request, response: ServerResponse) => {
      sendStream(response as Response, 'text/plain', endless(), patienceMs).catch(
        (fault: unknown) => faults.push(fault),
      );
    };
  };

  it('ends when the reader reads nothing, and stops producing parts', async () => {
    await ask(await serve(createServer(stream(300))));
    await expect.poll(() => made.isEnded, { timeout: 10_000 }).toBe(true);
    expect(made.parts * 64 * 1024).toBeLessThan(sizeBytes);
  });

  it('ends when the reader reads only a little at a time', async () => {
    const reader = await ask(await serve(createServer(stream(500))));
    const sip = setInterval(() => reader.read(16), 50);
    try {
      await expect.poll(() => made.parts).toBeGreaterThan(0);
      await expect.poll(() => made.isEnded, { timeout: 20_000 }).toBe(true);
      expect(made.parts * 64 * 1024).toBeLessThan(sizeBytes);
    } finally {
      clearInterval(sip);
    }
  });

  it('ends when the reader disconnects', async () => {
    const reader = await ask(await serve(createServer(stream(60_000))));
    await expect.poll(() => made.parts).toBeGreaterThan(0);
    reader.destroy();
    await expect.poll(() => made.isEnded).toBe(true);
  });
});

describe('createPlaces', () => {
  it('limits concurrent exports in total and per account, and frees a place once', () => {
    const exports = createPlaces({ most: 3, mostOfAccount: 2, retryAfterSeconds: 10 });
    const refused = expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 10 });
    const [first] = [exports.take(1), exports.take(1)];
    expect(() => exports.take(1)).toThrow(refused);
    const other = exports.take(2);
    expect(() => exports.take(2)).toThrow(refused);
    expect(() => exports.take(3)).toThrow(refused);
    other();
    first?.();
    exports.take(1);
    exports.take(3);
    expect(() => exports.take(3)).toThrow(refused);
  });
});
