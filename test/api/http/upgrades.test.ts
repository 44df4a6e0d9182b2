import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import * as sockets from '../events/connect.ts';

const { own, baseUrl } = ownPlatform();
const { hostname, port, host } = new URL(baseUrl);

/** Sends a request with these lines and returns the answer. */
async function answerTo(lines: readonly string[], rest = ''): Promise<string> {
  const socket = connect(Number(port), hostname);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${rest}`);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
const statusOf = (answer: string): string => answer.split(' ')[1] ?? 'none';

const handshake = [
  'Connection: Upgrade, close',
  'Upgrade: websocket',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
];

describe('an upgrade that the server does not support', () => {
  it.each([
    ['to HTTP/2', '/livez', ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c'], '200'],
    ['to what nobody knows', '/livez', ['Connection: Upgrade, close', 'Upgrade: foo/1'], '200'],
    ['to a socket elsewhere', '/livez', handshake, '200'],
    ['to a socket where nothing is', '/socket.iox/', handshake, '404'],
    [
      'to no socket where sockets are',
      '/socket.io/?EIO=4&transport=websocket',
      ['Connection: Upgrade, close', 'Upgrade: h2c'],
      '400',
    ],
  ])('gets the normal answer: %s', async (_name, path, headers, status) => {
    const answer = await answerTo([`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers]);
    expect(statusOf(answer)).toBe(status);
    if (status === '200') expect(answer).toContain('{"status":"ok"}');
  });

  it('keeps the body of its request', async () => {
    const body = JSON.stringify({ link_uuid: 'none' });
    const lines = [
      'POST /v2/join/session HTTP/1.1',
      `Host: ${host}`,
      'Connection: Upgrade, close',
      'Upgrade: foo',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const answer = await answerTo(lines, body);
    expect([statusOf(answer), answer.includes('"code":"not_found"')]).toEqual(['404', true]);
  });
});

describe('the Host header', () => {
  it.each([
    ['twice', [`Host: ${host}`, 'Host: other.example.test']],
    ['twice the same', [`Host: ${host}`, `host: ${host}`]],
    ['with a path', ['Host: example.test/x']],
    ['with a name before it', ['Host: person@example.test']],
    ['with a blank', ['Host: a b']],
    ['not at all', []],
  ])('is rejected with 400 if it is sent %s', async (_name, hosts) => {
    for (const [path, more] of [
      ['/livez', ['Connection: close']],
      ['/socket.io/?EIO=4&transport=websocket', handshake],
    ] as const) {
      const answer = await answerTo([`GET ${path} HTTP/1.1`, ...hosts, ...more]);
      expect(statusOf(answer), path).toBe('400');
    }
  });

  it.each([host, 'example.test', '[::1]:8080', '192.0.2.1', ''])('may be %j', async (name) => {
    const answer = await answerTo(['GET /livez HTTP/1.1', `Host: ${name}`, 'Connection: close']);
    expect(statusOf(answer)).toBe('200');
  });
});

describe('sockets', () => {
  let silent: SecondApi;
  beforeAll(async () => {
    silent = await startSecondApi();
  });
  afterAll(() => silent.stop());
  sockets.endSockets();

  it('can be opened, and an API without sockets returns 404 for the handshake', async () => {
    expect((await sockets.connect(own.api_key)).connected).toBe(true);
    const answer = await fetch(`${silent.origin}/socket.io/?EIO=4&transport=websocket`);
    expect(answer.status).toBe(404);
  });
});
