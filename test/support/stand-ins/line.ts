import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A connection to a server that can drop all bytes, or only the answers. */
export interface Line {
  readonly address: string;
  /** Holds back all bytes in both directions, like a network that drops them. */
  hold(): void;
  /** Delivers the held bytes, and all later ones. */
  release(): void;
  /** Drops the server's answers from now on. Requests still arrive and are executed. */
  cut(): void;
  /** Closes the connections that were cut. New calls are answered. */
  mend(): void;
  stop(): Promise<void>;
}

/** Forwards a local port to an address (host and port). */
export async function openLine(to: string): Promise<Line> {
  const [host = '', port = ''] = to.split(':');
  const ends = new Set<Socket>();
  let isHeld = false;
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.on('data', (bytes) => {
        if (end === near || !isCut) other.write(bytes);
      });
      end.on('error', () => other.destroy());
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
      if (isHeld) end.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endAll = (): void => {
    for (const end of ends) end.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      isHeld = true;
      for (const end of ends) end.pause();
    },
    release() {
      isHeld = false;
      for (const end of ends) end.resume();
    },
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      endAll();
    },
    async stop() {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}
