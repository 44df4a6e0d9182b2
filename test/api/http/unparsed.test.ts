import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createApiServer } from '../../../api/http/server/create-server.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const { hostname, port, host } = new URL(baseUrl);

/** Sends all bytes, then reads; returns the status line of the answer. */
async function answerTo(head: string, bodyBytes = 0): Promise<string | undefined> {
  const socket = connect(Number(port), hostname);
  socket.write(Buffer.from(head, 'latin1'));
  for (let sent = 0; sent < bodyBytes; sent += 65_536) {
    if (!socket.write(Buffer.alloc(65_536, 'a'))) await sleep(1);
  }
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString().split('\r\n')[0];
}

const post = (target: string, ...more: string[]): string =>
  [`POST ${target} HTTP/1.1`, `Host: ${host}`, ...more, '', ''].join('\r\n');
const length = 'Content-Length: 2097152';

describe('an invalid HTTP request', () => {
  it.each<[string, string, number, string]>([
    ['a byte no address has', post('/v2/\xb2', length), 2_097_152, '400 Bad Request'],
    [
      'a head past its cap',
      post('/v2/links', length, `X-Long: ${'a'.repeat(40_000)}`),
      2_097_152,
      '431 Request Header Fields Too Large',
    ],
    [
      'a length and chunks',
      post('/v2/links', length, 'Transfer-Encoding: chunked'),
      2_097_152,
      '400 Bad Request',
    ],
    [
      'a chunk of no size',
      `${post('/portal_login', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n`,
      2_097_152,
      '400 Bad Request',
    ],
  ])('with %s is answered even if a large body follows', async (_what, head, bytes, expected) => {
    expect(await answerTo(head, bytes)).toBe(`HTTP/1.1 ${expected}`);
  });

  it('keeps its connection open only for a while', async () => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    const sending = setInterval(() => socket.write('a'), 100);
    socket.write('nothing\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(socket.destroyed).toBe(true);
  });

  it('after a started answer cuts the connection and adds nothing to that answer', async () => {
    const server = createApiServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('begun');
    });
    await new Promise<void>((resolve) => server.listen(0, hostname, resolve));
    try {
      const socket = connect(Object(server.address()).port, hostname);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      let text = '';
      socket.on('error', () => {});
      const ended = new Promise((resolve) => socket.once('close', resolve));
      socket.on('data', (part) => {
        text += String(part);
        if (text.endsWith('begun')) socket.write('nothing\r\n\r\n');
      });
      await ended;
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text.endsWith('\r\n\r\nbegun')).toBe(true);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
