import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { isOwnHost } from '../../../api/system/own-host.ts';
import type { Answer } from '../../support/http/client.ts';
import { witness } from '../../support/http/witness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, temporalUiUrl } = ownPlatform();
const { port } = new URL(baseUrl);
/** A name that its owner resolves to this machine (DNS rebinding). */
const foreign = `evil.example.test:${port}`;

/** Sends a request with a Host header that `fetch` would not send. */
async function call(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Answer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = { method, headers: { ...headers, 'content-length': body.length } };
    request(`${baseUrl}${path}`, sent, resolve).on('error', reject).end(body);
  });
  const told = new Headers(
    Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
  );
  const content = await text(answer);
  const isJson = /json/.test(told.get('content-type') ?? '');
  const given = {
    status: answer.statusCode ?? 0,
    headers: told,
    text: content,
    body: isJson ? (JSON.parse(content) as Record<string, unknown>) : {},
  };
  witness(method, path, given, baseUrl);
  return given;
}

it.each(['/outbox', '/outbox/messages'])(
  '%s is not served for a foreign host name',
  async (path) => {
    for (const host of [foreign, `127.0.0.1.example.test:${port}`, 'localhost.example.test']) {
      const refused = await call('GET', path, { host });
      expect([refused.status, refused.body['code']]).toEqual([421, 'host_refused']);
      expect(refused.body['detail']).toBe(`Open it at ${baseUrl}/outbox`);
    }
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]', 'LOCALHOST']) {
      expect((await call('GET', path, { host })).status, host).toBe(200);
    }
  },
);

it('the codec refuses pages from a foreign host name', async () => {
  const decode = (origin: string): Promise<Answer> => {
    const headers = { origin, host: foreign, 'content-type': 'application/json' };
    return call('POST', '/codec/decode', headers, '{"payloads":[]}');
  };
  const refused = await decode(`http://${foreign}`);
  expect([refused.status, refused.body['code']]).toEqual([401, 'credential_invalid']);
  expect((await decode(new URL(temporalUiUrl).origin)).status).toBe(200);
});

it.each([
  ['localhost', true],
  ['localhost:8080', true],
  ['127.0.0.1', true],
  ['127.8.9.1:1', true],
  ['[::1]:8080', true],
  ['[0:0:0:0:0:0:0:1]', true],
  ['[::ffff:127.0.0.1]', true],
  ['trust.example.test', true],
  ['Trust.Example.Test:443', true],
  ['192.168.7.7:8080', true],
  ['[fd00::7]:8080', true],
  ['', false],
  ['evil.example.test', false],
  ['x.localhost', false],
  ['localhost.', false],
  ['notlocalhost', false],
  ['trust.example.test.', false],
  ['x.trust.example.test', false],
  ['192.168.7.8', false],
  ['[fd00::8]', false],
  ['localhost@evil.example.test', false],
  ['evil.example.test/@localhost', false],
  ['evil.example.test#localhost', false],
  ['\\localhost', false],
  ['localhost:x', false],
  [`${'x'.repeat(10_000)}.localhost`, false],
])('the host %j is ours: %s', (host, isOurs) => {
  expect(isOwnHost(host, ['trust.example.test', '192.168.7.7', 'fd00::7'])).toBe(isOurs);
});
