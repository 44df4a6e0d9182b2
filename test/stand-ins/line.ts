import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line to a server, which can be made to swallow everything. */
export interface Line {
  readonly address: string;
  /** Holds back every byte of both ends, as a network that drops them would. */
  hold(): void;
  /** Lets what was held back through, and all that comes. */
  release(): void;
  stop(): Promise<void>;
}

/** Opens a line from a port of this machine to an address, host and port. */
export async function openLine(to: string): Promise<Line> {
  const [host = '', port = ''] = to.split(':');
  const ends = new Set<Socket>();
  let isHeld = false;
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.on('data', (bytes) => other.write(bytes));
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
    async stop() {
      for (const end of ends) end.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
