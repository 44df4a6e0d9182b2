import type { LiveSocket } from './server.ts';

const bufferedPacketsMax = 1_000;
const patienceMs = 15_000;

/** True for a client that does not drain its buffer; it is cut, comes back and replays. */
export function isTooSlow(socket: LiveSocket): boolean {
  return waiting(socket) > bufferedPacketsMax;
}

/** Ends a socket that takes less than it is sent, and says why. */
export const cut = (socket: LiveSocket): void => end(socket, 'too_slow');

/** A goodbye is on its way for so long before what it waits behind is thrown away with it. */
const farewellMs = 1_000;

/**
 * Says why, and ends a socket. The engine would wait until a reader has taken all that was sent
 * before, three quarters of a minute for one that takes nothing; this one is given a second.
 */
export function end(
  socket: LiveSocket,
  code: 'expired' | 'rate_limited' | 'revoked' | 'too_slow',
): void {
  const connection = engineOf(socket).transport.socket;
  socket.emit('bye', { code });
  socket.disconnect(true);
  const timer = setTimeout(() => connection.terminate(), farewellMs);
  connection.once('close', () => clearTimeout(timer));
}

/** The connection below the engine, which the engine's types do not show. */
interface WebSocket {
  terminate(): void;
  once(event: 'close', listener: () => void): void;
}

/**
 * Waits until a socket has taken what it was sent, so that a replay goes at the pace of its reader.
 * False when it has gone, or takes nothing for 15 s.
 */
export async function hasRoom(socket: LiveSocket): Promise<boolean> {
  const hasTaken = waiting(socket) === 0 || (await drained(socket));
  return hasTaken && socket.connected;
}

/** The engine calls itself drained when it has handed all over; it is when that was taken, too. */
function drained(socket: LiveSocket): Promise<boolean> {
  const { conn } = socket;
  const { transport } = engineOf(socket);
  return new Promise((resolve) => {
    const finish = (hasTaken: boolean): void => {
      clearTimeout(timer);
      transport.off('ready', look);
      conn.off('close', close);
      resolve(hasTaken);
    };
    const look = (): void => {
      if (waiting(socket) === 0) return finish(true);
      timer.refresh();
    };
    const close = (): void => finish(false);
    const timer = setTimeout(close, patienceMs);
    transport.on('ready', look);
    conn.on('close', close);
  });
}

/**
 * How many packets the engine holds because the connection has not taken those before them, which
 * count as one: what was handed to it together is taken together.
 */
function waiting(socket: LiveSocket): number {
  const { writeBuffer, transport } = engineOf(socket);
  return writeBuffer.length + (transport.writable ? 0 : 1);
}

interface Engine {
  readonly writeBuffer: readonly unknown[];
  readonly transport: {
    readonly writable: boolean;
    readonly socket: WebSocket;
    on(event: 'ready', listener: () => void): void;
    off(event: 'ready', listener: () => void): void;
  };
}

/** What the engine's types do not show; sockets here have no other transport than WebSocket. */
const engineOf = ({ conn }: LiveSocket): Engine => conn as unknown as Engine;
