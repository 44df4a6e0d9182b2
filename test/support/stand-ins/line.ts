import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A line to a server, which can be made to swallow everything, or the answers alone. */
export interface Line {
  readonly address: string;
  /** Holds back every byte of both ends, as a network that drops them would. */
  hold(): void;
  /** Lets what was held back through, and all that comes. */
  release(): void;
  /** Loses what the server says from now on: what is asked arrives, and is done. */
  cut(): void;
  /** Ends what was cut; whoever calls again is answered. */
  mend(): void;
  stop(): Promise<void>;
}

/** Opens a line from a port of this machine to an address, host and port. */
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
