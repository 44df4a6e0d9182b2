import { end } from './pressure.ts';
import type { LiveServer, LiveSocket } from './server.ts';

type Connection = LiveSocket['conn'];

/** Events of a socket that are heard at once, and how many more of them each second. */
const eventsMax = 100;
const eventsPerSecond = 10;
/** Packets of a connection, whatever they are: twice what is heard, then it is cut. */
const packetsMax = 2 * eventsMax;

/** Counts one more, and says whether it is within the pace. */
type Pace = () => boolean;

/** A bucket that holds `max` tokens and gets so many back in a second. */
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

/** Answers an event that is over the pace of its socket `rate_limited`, and has nobody hear it. */
export function hearInPace(socket: LiveSocket, clock: () => Date): void {
  const isInPace = createPace(eventsMax, eventsPerSecond, clock);
  socket.use((event, next) => {
    if (isInPace()) return next();
    const answer: unknown = event.at(-1);
    if (typeof answer === 'function') answer({ ok: false, code: 'rate_limited' });
  });
}

/**
 * Cuts a connection that sends more packets than anybody needs, before they are read: a socket with
 * `bye`, one that is not let in yet without a word.
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
