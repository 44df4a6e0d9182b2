import { eventObject } from '../../db/event-object.ts';
import { listen } from '../../db/listen.ts';
import {
  eventsChannel,
  headsOf,
  listAccount,
  listStream,
  type EventRow,
} from '../../db/queries/events.ts';
import type { Deps } from '../deps.ts';
import type { LiveSocket } from './server.ts';

type RelayDeps = Pick<Deps, 'db' | 'log' | 'metrics'>;

/** Feeds sockets from the event log. */
export interface Relay {
  /** Replays a stream from `after` until caught up and then joins its room; answers the head. */
  join(socket: LiveSocket, stream: string, after: number): Promise<number>;
  leaveAll(socket: LiveSocket): void;
  stop(): Promise<void>;
}

interface Followed {
  /** The place up to which the room has been sent everything. */
  last: number;
  /** Each socket with the place up to which it has been sent everything itself. */
  readonly sockets: Map<LiveSocket, number>;
  reading: Promise<void> | null;
  again: boolean;
}

const pageSize = 200;
const sweepMs = 5_000;
const bufferedPacketsMax = 1_000;

/**
 * One connection listens; a notification only says which stream has grown, the table says what
 * happened. A sweep every few seconds heals a notification that was lost.
 */
export function createRelay(deps: RelayDeps, databaseUrl: string): Relay {
  const streams = new Map<string, Followed>();
  const wake = (stream: string): void => {
    const followed = streams.get(stream);
    if (followed) void follow(deps, stream, followed);
  };
  const look = (): void => void sweepAll(deps, streams, wake);
  const listener = listen({
    databaseUrl,
    applicationName: 'trustcheck-realtime',
    channels: [eventsChannel],
    onNotice: (_channel, stream) => wake(stream),
    onListening: look,
    onBreak: (err) => deps.log.warn({ err }, 'not listening; the sweep goes on'),
  });
  const sweep = setInterval(look, sweepMs);
  return {
    async join(socket, stream, after) {
      const followed = streams.get(stream) ?? {
        last: Number.POSITIVE_INFINITY,
        sockets: new Map<LiveSocket, number>(),
        reading: null,
        again: false,
      };
      streams.set(stream, followed);
      let last = after;
      for (;;) {
        const rows = await read(deps, stream, last);
        for (const row of rows) send(deps, socket, stream, row);
        last = rows.length > 0 ? positionOf(stream, rows) : last;
        if (rows.length === pageSize) continue;
        // No await between this test and the joining: nothing can be appended unseen in between.
        if (followed.sockets.size === 0) followed.last = last;
        if (last >= followed.last) break;
      }
      if (socket.connected) followed.sockets.set(socket, last);
      wake(stream);
      return last;
    },
    leaveAll(socket) {
      for (const [stream, followed] of streams) {
        followed.sockets.delete(socket);
        if (followed.sockets.size === 0) streams.delete(stream);
      }
    },
    async stop() {
      clearInterval(sweep);
      await listener.stop();
    },
  };
}

async function read(deps: RelayDeps, stream: string, after: number): Promise<EventRow[]> {
  const [kind, id] = stream.split(':');
  if (kind === 'account') return listAccount(deps.db, [Number(id), after, pageSize, []]);
  return listStream(deps.db, [stream, after, pageSize]);
}

function placeOf(stream: string, row: EventRow): number {
  return stream.startsWith('account:') ? row.account_seq : row.seq;
}

function positionOf(stream: string, rows: readonly EventRow[]): number {
  const last = rows.at(-1);
  return last ? placeOf(stream, last) : 0;
}

function send(deps: RelayDeps, socket: LiveSocket, stream: string, row: EventRow): void {
  socket.emit('event', { ...eventObject(row), position: placeOf(stream, row) });
  deps.metrics.replayedEvents.inc();
}

/** Reads what is new and sends it to the room; one reader a stream, asked again while it reads. */
function follow(deps: RelayDeps, stream: string, followed: Followed): Promise<void> {
  if (followed.reading) {
    followed.again = true;
    return followed.reading;
  }
  followed.reading = drain(deps, stream, followed).finally(() => {
    followed.reading = null;
    if (followed.again) {
      followed.again = false;
      void follow(deps, stream, followed);
    }
  });
  return followed.reading;
}

async function drain(deps: RelayDeps, stream: string, followed: Followed): Promise<void> {
  try {
    for (;;) {
      if (!Number.isFinite(followed.last) || followed.sockets.size === 0) return;
      const from = followed.last;
      const rows = await read(deps, stream, from);
      for (const row of rows) {
        if (placeOf(stream, row) <= followed.last) continue;
        const place = placeOf(stream, row);
        for (const [socket, last] of followed.sockets) {
          if (place <= last) continue;
          followed.sockets.set(socket, place);
          if (isTooSlow(socket)) cut(socket);
          else send(deps, socket, stream, row);
        }
        followed.last = place;
      }
      if (rows.length < pageSize) return;
    }
  } catch (err) {
    deps.log.warn({ err, stream }, 'a stream could not be read; the sweep tries again');
  }
}

/** A client that does not drain its buffer is cut; it comes back and replays. */
function isTooSlow(socket: LiveSocket): boolean {
  const { writeBuffer } = socket.conn as unknown as { writeBuffer?: unknown[] };
  return (writeBuffer?.length ?? 0) > bufferedPacketsMax;
}

function cut(socket: LiveSocket): void {
  socket.emit('bye', { code: 'too_slow' });
  socket.disconnect(true);
}

async function sweepAll(
  deps: RelayDeps,
  streams: ReadonlyMap<string, Followed>,
  wake: (stream: string) => void,
): Promise<void> {
  if (streams.size === 0) return;
  try {
    const heads = await headsOf(deps.db, [[...streams.keys()]]);
    for (const { stream, seq } of heads) {
      if (Number(seq) > (streams.get(stream)?.last ?? Number.POSITIVE_INFINITY)) wake(stream);
    }
  } catch (err) {
    deps.log.warn({ err }, 'the sweep of the event log failed');
  }
}
