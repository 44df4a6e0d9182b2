import { end } from './pressure.ts';
import type { LiveServer, LiveSocket } from './server.ts';

type Connection = LiveSocket['conn'];

/** Burst size of a socket's events, and how many more it may send per second. */
const eventsMax = 100;
const eventsPerSecond = 10;
/** Maximum of packets of a connection, of any kind: twice the events. More end the connection. */
const packetsMax = 2 * eventsMax;

/** Counts one more, and returns whether it is within the pace. */
type Pace = () => boolean;

/** Creates a token bucket of `max` tokens that refills at `perSecond`. */
export function createPace(max: number, perSecond: number, clock: () => Date): Pace {
  let left = max;
  let atMs = clock().getTime();
  return () => {
    const nowMs = clock().getTime();
    const passedMs = Math.max(0, nowMs - atMs);
    left = Math.min(max, left + (passedMs / 1000) * perSecond);
    atMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** Answers an event over the pace of its socket with `rate_limited`, and drops it. */
export function hearInPace(socket: LiveSocket, clock: () => Date): void {
  const isInPace = createPace(eventsMax, eventsPerSecond, clock);
  socket.use((event, next) => {
    if (isInPace()) return next();
    const answer: unknown = event.at(-1);
    if (typeof answer === 'function') answer({ ok: false, code: 'rate_limited' });
  });
}

/**
 * Ends a connection that sends too many packets, before they are read. An authenticated socket gets
 * a `bye`.
 */
export function paceConnections(io: LiveServer, clock: () => Date): void {
  const sockets = new WeakMap<Connection, LiveSocket>();
  io.on('connection', (socket) => void sockets.set(socket.conn, socket));
  io.engine.on('connection', (connection: Connection) => {
    const isInPace = createPace(packetsMax, eventsPerSecond, clock);
    connection.on('packet', () => {
      if (isInPace()) return;
      const socket = sockets.get(connection);
      if (socket) end(socket, 'rate_limited');
      else connection.close(true);
    });
  });
}
