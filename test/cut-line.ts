import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line to a server that can be cut in one direction: what is asked arrives, no answer does. */
export interface CutLine {
  readonly address: string;
  /** From now on nothing the server says gets through. */
  cut(): void;
  /** Ends what was cut; whoever calls again is answered. */
  mend(): void;
  stop(): Promise<void>;
}

/**
 * Lays a line to a server, for what only a crash at the right moment shows: the work is done, and
 * whoever asked for it never hears so.
 * @param address host and port of the server
 */
export async function layCutLine(address: string): Promise<CutLine> {
  const [host = '', port = ''] = address.split(':');
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    const end = (): void => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
    };
    near.on('error', end).on('close', end);
    far.on('error', end).on('close', end);
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!isCut) near.write(bytes);
    });
    sockets.add(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      endAll();
    },
    async stop() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
