import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiServer } from '../../../api/http/server/create-server.ts';

const server = createApiServer((_request, response) => {
  response.end();
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** Returns the status of a request with this header. */
async function statusWith(name: string, lengthBytes: number): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const headers = { [name]: 'a'.repeat(lengthBytes) };
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

it('the server accepts an attest header just over 16 KiB, since the handler has its own limit', async () => {
  expect(await statusWith('attest', 16 * 1024)).toBe(200);
  expect(await statusWith('attest', 16 * 1024 + 1)).toBe(200);
});

it('headers over 32 KiB are refused with a problem that every operation declares', async () => {
  const { port } = server.address() as AddressInfo;
  const headers = { attest: 'a'.repeat(32 * 1024) };
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const { statusCode, headers: answered } = response;
  expect([statusCode, answered['content-type']]).toEqual([431, 'application/problem+json']);
  expect(answered['trustcheck-version']).toBe('2026-11-25');
  expect(JSON.parse(Buffer.concat(parts).toString())).toEqual({
    type: '/docs/errors/headers_too_large',
    title: 'Request headers too large',
    status: 431,
    code: 'headers_too_large',
    request_id: answered['request-id'],
  });
  const { paths } = JSON.parse(readFileSync('api/openapi.json', 'utf8'));
  const operations = Object.values(paths).flatMap((item) => Object.values(Object(item)));
  expect(operations.length).toBeGreaterThan(100);
  for (const operation of operations) expect(Object(operation).responses).toHaveProperty('431');
});
