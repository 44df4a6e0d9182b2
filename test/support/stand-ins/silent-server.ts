import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A server that accepts connections and never answers. */
export interface SilentServer {
  readonly port: number;
  readonly url: string;
  /** Resolves with the first connection. */
  readonly connected: Promise<void>;
  /** Resolves when the client has closed the first connection. */
  readonly closed: Promise<void>;
  stop(): Promise<void>;
}

export async function startSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const connected = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // The client's close is only noticed if the data is read.
    socket.resume();
    socket.on('error', () => undefined);
    socket.once('close', () => closed.resolve());
    connected.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connected: connected.promise,
    closed: closed.promise,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
