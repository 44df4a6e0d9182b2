import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Request } from 'express';
import { expect, it } from 'vitest';
import { trustCheckContracts } from '../../../api/trust-checks/contract.ts';
import { readBody } from '../../../api/http/parse/body.ts';

it('a body is rejected with body_timeout when its connection closes', async () => {
  const refused = Promise.withResolvers<unknown>();
  const server = createServer((request) => {
    readBody(trustCheckContracts.upload, request as Request).then(
      () => refused.resolve(null),
      refused.resolve,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n';
  socket.write(`${head}${'x'.repeat(500)}`, () => socket.destroy());
  expect(await refused.promise).toMatchObject({ code: 'body_timeout' });
  server.close();
});
