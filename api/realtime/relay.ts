import { fullReach } from '../../db/client.ts';
import { listen } from '../../db/listen.ts';
import { eventObject, type EventObject } from '../../db/queries/event-object.ts';
import {
  eventsChannel,
  headsOf,
  listAccount,
  listStream,
  type EventRow,
} from '../../db/queries/events.ts';
import { inAccount } from '../../db/rights/account-scope.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { canReach } from '../http/auth/authorize.ts';
import type { Caller } from '../http/auth/caller.ts';
import {
  endedCredentialsChannel,
  dropEndedCredential,
} from '../http/auth/credentials/ended-credentials.ts';
import { setNotified } from '../http/auth/credentials/session.ts';
import { eventSeenBySubject } from '../running-checks/subject-view.ts';
import { cut, hasRoom, isTooSlow } from './pressure.ts';
import type { LiveSocket } from './server.ts';
import type { Semaphore } from './semaphore.ts';

type RelayDeps = Pick<Deps, 'db' | 'sealer' | 'telemetry'> & { readonly inTurn: Semaphore };

/** Feeds sockets from the event log. */
export interface Relay {
  /**
   * Replays a stream from `after` to its end and joins the socket to its room. Returns the reached
   * position.
   * @throws Failure `invalid_state` for an `after` beyond the end of the stream
   */
  join(socket: LiveSocket, stream: string, after: number): Promise<number>;
  /**
   * The position up to which a socket has received the whole stream; null if it does not follow it.
   */
  placeOf(socket: LiveSocket, stream: string): number | null;
  leaveAll(socket: LiveSocket): void;
  stop(): Promise<void>;
}

interface Followed {
  /** The position up to which the room has received everything. It never decreases. */
  last: number;
  /** Each socket with the position up to which it has received everything itself. */
  readonly sockets: Map<LiveSocket, number>;
  /** The number of replaying sockets. A stream without sockets is kept until they have joined. */
  joining: number;
  reading: Promise<void> | null;
  again: boolean;
}

const pageSize = 200;
const sweepMs = 5_000;

/**
 * Listens on one connection. A notification names the stream that has grown, and the events are
 * read from the table. A sweep every few seconds replaces lost notifications. The same connection
 * receives the notifications of ended credentials.
 */
export function createRelay(deps: RelayDeps, databaseUrl: string, onEnding: () => void): Relay {
  const streams = new Map<string, Followed>();
  const wake = (stream: string): void => {
    const followed = streams.get(stream);
    if (followed) void follow(deps, stream, followed);
  };
  const look = (): void => void sweepAll(deps, streams, wake);
  const listener = listen({
    databaseUrl,
    applicationName: 'trustcheck-realtime',
    channels: [eventsChannel, endedCredentialsChannel],
    onNotice: (channel, payload) => {
      if (channel === eventsChannel) return wake(payload);
      dropEndedCredential(payload);
      onEnding();
    },
    onListening: () => {
      setNotified(true);
      look();
      onEnding();
    },
    onBreak: (err) => {
      setNotified(false);
      deps.telemetry.log.warn({ err }, 'not listening; the sweep goes on');
    },
  });
  const sweep = setInterval(look, sweepMs);
  return {
    async join(socket, stream, after) {
      const followed = streams.get(stream) ?? newFollowed();
      streams.set(stream, followed);
      followed.joining += 1;
      try {
        const isFed = followed.sockets.has(socket);
        const last = await replay(deps, socket, stream, followed, after);
        // There is no await between the end of the replay and this line, so the socket missed no
        // event of the room.
        if (followed.sockets.size === 0 && last > followed.last) followed.last = last;
        if (socket.connected) followed.sockets.set(socket, last);
        if (!isFed) wake(stream);
        return last;
      } finally {
        followed.joining -= 1;
        letGo(streams, stream, followed);
      }
    },
    placeOf(socket, stream) {
      return placeIn(streams.get(stream), socket);
    },
    leaveAll(socket) {
      for (const [stream, followed] of streams) {
        if (followed.sockets.delete(socket)) letGo(streams, stream, followed);
      }
    },
    async stop() {
      clearInterval(sweep);
      setNotified(false);
      await listener.stop();
    },
  };
}

function newFollowed(): Followed {
  return { last: 0, sockets: new Map(), joining: 0, reading: null, again: false };
}

function placeIn(followed: Followed | undefined, socket: LiveSocket): number | null {
  const place = followed?.sockets.get(socket);
  return followed && place !== undefined ? Math.max(place, followed.last) : null;
}

function letGo(streams: Map<string, Followed>, stream: string, followed: Followed): void {
  if (followed.sockets.size === 0 && followed.joining === 0) streams.delete(stream);
}

/**
 * Sends a socket the events after `after`, page by page at its reader's pace. Returns the reached
 * position: that of the room or beyond, unless the socket has left or was ended.
 */
async function replay(
  deps: RelayDeps,
  socket: LiveSocket,
  stream: string,
  followed: Followed,
  after: number,
): Promise<number> {
  const place = placeIn(followed, socket);
  // Events that were already sent exist; only a later position must be looked up.
  const isThere = place !== null && after <= place;
  const head = isThere ? place : await deps.inTurn(() => headOf(deps, stream));
  // A position beyond the end must not count as seen, or later events would be withheld.
  if (after > head) throw new Failure('invalid_state');
  let last = after;
  while (socket.connected) {
    // These events were committed before the read, so a page that is not full reaches at least
    // them.
    const known = Math.max(head, followed.last);
    const from = last;
    const events = await deps.inTurn(() => read(deps, stream, from));
    for (const event of events) send(deps, socket, stream, event);
    last = Math.max(last, positionOf(stream, events));
    if (events.length === pageSize) {
      if (!(await hasRoom(socket))) cut(socket);
      continue;
    }
    last = Math.max(last, known);
    if (isTooSlow(socket)) cut(socket);
    if (last >= followed.last) break;
  }
  return last;
}

async function headOf(deps: RelayDeps, stream: string): Promise<number> {
  const [row] = await headsOf(deps.db, [[stream]]);
  return row?.seq ?? 0;
}

/** An event of a page, with its body for all sockets that follow the stream. */
interface ReadEvent {
  readonly row: EventRow;
  readonly body: EventObject;
}

async function read(deps: RelayDeps, stream: string, after: number): Promise<ReadEvent[]> {
  const rows = await readRows(deps, stream, after);
  return Promise.all(rows.map(async (row) => ({ row, body: await eventObject(deps.sealer, row) })));
}

async function readRows(deps: RelayDeps, stream: string, after: number): Promise<EventRow[]> {
  const [kind, id] = stream.split(':');
  if (kind === 'account') {
    const accountId = Number(id);
    const values = [accountId, after, pageSize, []];
    return inAccount(accountId, () => listAccount(deps.db, values, fullReach));
  }
  return listStream(deps.db, [stream, after, pageSize]);
}

function placeOf(stream: string, { row }: ReadEvent): number {
  return stream.startsWith('account:') ? row.account_seq : row.seq;
}

function positionOf(stream: string, events: readonly ReadEvent[]): number {
  const last = events.at(-1);
  return last ? placeOf(stream, last) : 0;
}

/** An account's stream has events of both modes. A test key receives only those in test mode. */
function send(deps: RelayDeps, socket: LiveSocket, stream: string, event: ReadEvent): void {
  const { row, body } = event;
  if (!canReach(socket.data.caller, row)) return;
  const shown = views[socket.data.caller.kind]?.(body) ?? body;
  socket.emit('event', { ...shown, position: placeOf(stream, event) });
  deps.telemetry.metrics.replayedEvents.inc();
}

/** How events are reduced for callers who may see only a part of them. */
const views: Partial<Record<Caller['kind'], (event: EventObject) => EventObject>> = {
  'join-token': withoutPeople,
  'check-token': eventSeenBySubject,
};

/** A join token sees of other participants only what `meetings.getByLink` shows. */
function withoutPeople(event: EventObject): EventObject {
  const { participant, ...object } = event.data.object;
  if (participant === undefined) return event;
  const shown = { ...Object(participant), poly_user_id: null, link_session_id: null };
  return { ...event, data: { ...event.data, object: { ...object, participant: shown } } };
}

/**
 * Sends new events to the room. One reader per stream; a call during a read makes it read again.
 */
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
      if (followed.sockets.size === 0) return;
      const from = followed.last;
      const events = await read(deps, stream, from);
      for (const event of events) {
        if (placeOf(stream, event) <= followed.last) continue;
        const place = placeOf(stream, event);
        for (const [socket, last] of followed.sockets) {
          if (place <= last) continue;
          followed.sockets.set(socket, place);
          if (isTooSlow(socket)) cut(socket);
          else send(deps, socket, stream, event);
        }
        followed.last = place;
      }
      if (events.length < pageSize) return;
    }
  } catch (err) {
    deps.telemetry.log.warn({ err, stream }, 'a stream could not be read; the sweep tries again');
  }
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
      if (seq > (streams.get(stream)?.last ?? Number.POSITIVE_INFINITY)) wake(stream);
    }
  } catch (err) {
    deps.telemetry.log.warn({ err }, 'the sweep of the event log failed');
  }
}
