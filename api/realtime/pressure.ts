import type { LiveSocket } from './server.ts';

const bufferedPacketsMax = 1_000;
const patienceMs = 15_000;

/** True for a client that does not drain its buffer; it is cut, comes back and replays. */
export function isTooSlow(socket: LiveSocket): boolean {
  return waiting(socket) > bufferedPacketsMax;
}

/** Ends a socket that takes less than it is sent, and says why. */
export function cut(socket: LiveSocket): void {
  socket.emit('bye', { code: 'too_slow' });
  socket.disconnect(true);
}

/**
 * Waits until a socket has taken what it was sent, so that a replay goes at the pace of its reader.
 * False when it has gone, or takes nothing for 15 s.
 */
export async function hasRoom(socket: LiveSocket): Promise<boolean> {
  const hasTaken = waiting(socket) === 0 || (await drained(socket));
  return hasTaken && socket.connected;
}

function drained({ conn }: LiveSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (hasTaken: boolean): void => {
      clearTimeout(timer);
      conn.off('drain', take);
      conn.off('close', close);
      resolve(hasTaken);
    };
    const take = (): void => end(true);
    const close = (): void => end(false);
    const timer = setTimeout(close, patienceMs);
    conn.on('drain', take);
    conn.on('close', close);
  });
}

/** How many packets the engine holds because the connection has not taken those before them. */
function waiting(socket: LiveSocket): number {
  const { writeBuffer } = socket.conn as unknown as { writeBuffer?: unknown[] };
  return writeBuffer?.length ?? 0;
}
