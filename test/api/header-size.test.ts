import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiServer } from '../../api/create-server.ts';

const server = createApiServer((_request, response) => {
  response.end();
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

/** The status of a request with this header. */
async function statusWith(name: string, lengthBytes: number): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const headers = { [name]: 'a'.repeat(lengthBytes) };
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

it('takes an attest header of 16 KiB and one byte, so that its own cap answers', async () => {
  expect(await statusWith('attest', 16 * 1024)).toBe(200);
  expect(await statusWith('attest', 16 * 1024 + 1)).toBe(200);
});

it('refuses headers of more than 32 KiB', async () => {
  expect(await statusWith('attest', 32 * 1024)).toBe(431);
});
