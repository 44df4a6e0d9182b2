import type { LiveSocket } from './server.ts';

const bufferedPacketsMax = 1_000;
const patienceMs = 15_000;

/** True for a client that does not drain its buffer. It is disconnected, reconnects and replays. */
export function isTooSlow(socket: LiveSocket): boolean {
  return waiting(socket) > bufferedPacketsMax;
}

/** Ends a socket that is read too slowly, with the reason. */
export const cut = (socket: LiveSocket): void => end(socket, 'too_slow');

/** How long a `bye` may wait behind unread packets before the connection is closed. */
const farewellMs = 1_000;

/**
 * Sends the reason and ends a socket. The engine alone would wait until the client has read
 * everything, three quarters of a minute for one that reads nothing. This function waits one
 * second.
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
 * Waits until a client has read what it was sent, so that a replay keeps the pace of its reader.
 * Returns false if the client has left, or reads nothing for 15 s.
 */
export async function hasRoom(socket: LiveSocket): Promise<boolean> {
  const hasTaken = waiting(socket) === 0 || (await drained(socket));
  return hasTaken && socket.connected;
}

/**
 * The engine reports `drained` when it has passed everything on. This waits until it was sent too.
 */
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
 * Returns how many packets wait in the engine. Packets that the connection is sending count as one,
 * because they were passed on together.
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

/** Members that the engine's types do not show. Sockets here use only the WebSocket transport. */
const engineOf = ({ conn }: LiveSocket): Engine => conn as unknown as Engine;
