import { createServer } from 'node:net';

/** A port nobody listens on; the wanted one when it is free. */
export async function freePort(wanted = 0): Promise<number> {
  const found = await tryPort(wanted);
  return found ?? (await tryPort(0)) ?? Promise.reject(new Error('no port is free'));
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}
