import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** Protocol 3.0, which follows the length in the startup message. */
const protocol = 196_608;
/** AuthenticationOk, then ReadyForQuery outside a transaction. */
const greeting = Buffer.from('R\0\0\0\u0008\0\0\0\0Z\0\0\0\u0005I', 'latin1');

/**
 * A PostgreSQL server that accepts connections and then stays silent, before or after the
 * handshake. It does not react to Terminate. `stop` resolves once all clients have disconnected.
 */
export async function openSilentPostgres(
  says: 'nothing' | 'handshake',
): Promise<{ url: string; stop: () => Promise<void> }> {
  const calls: { socket: Socket; left: Promise<unknown> }[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    const left = new Promise<void>((resolve) => {
      socket.once('end', resolve).once('close', () => resolve());
    });
    calls.push({ socket, left });
    socket.once('data', (bytes) => {
      if (bytes.readInt32BE(4) !== protocol) socket.destroy();
      else if (says === 'handshake') socket.write(greeting);
    });
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://u:secret@127.0.0.1:${port}/x`,
    async stop() {
      for (const { socket, left } of calls) {
        await left;
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
