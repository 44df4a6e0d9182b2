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
   * Replays a stream from `after` until caught up and then joins its room; answers the place it
   * has come to. Throws `invalid_state` for an `after` the stream has not reached.
   */
  join(socket: LiveSocket, stream: string, after: number): Promise<number>;
  /** The place up to which a socket was sent all of a stream; null: it does not follow it. */
  placeOf(socket: LiveSocket, stream: string): number | null;
  leaveAll(socket: LiveSocket): void;
  stop(): Promise<void>;
}

interface Followed {
  /** The place up to which the room has been sent everything; it never goes back. */
  last: number;
  /** Each socket with the place up to which it has been sent everything itself. */
  readonly sockets: Map<LiveSocket, number>;
  /** How many are still replaying: a stream is let go only when nobody is to come. */
  joining: number;
  reading: Promise<void> | null;
  again: boolean;
}

const pageSize = 200;
const sweepMs = 5_000;

/**
 * Listens on one connection. A notification names the stream that has grown; the events are read
 * from the table. A sweep every few seconds replaces lost notifications. The same connection
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
        // No await since the replay found itself caught up: nothing was sent to the room unseen.
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
 * Sends a socket what the log holds after `after`, page by page as fast as it takes them, and gives
 * the place it has come to: that of the room or beyond, unless the socket has gone or was cut.
 */
async function replay(
  deps: RelayDeps,
  socket: LiveSocket,
  stream: string,
  followed: Followed,
  after: number,
): Promise<number> {
  const place = placeIn(followed, socket);
  // What was sent already is there: only a place beyond it has to be looked up.
  const isThere = place !== null && after <= place;
  const head = isThere ? place : await deps.inTurn(() => headOf(deps, stream));
  // A place that is not there yet must not count as seen: what comes would be withheld.
  if (after > head) throw new Failure('invalid_state');
  let last = after;
  while (socket.connected) {
    // Committed before the read, hence in it: a page that is not full reaches at least so far.
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

/** An event of a page, and its body for all sockets that follow the stream. */
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

/** The stream of an account has events of both modes: a test key gets those in test mode. */
function send(deps: RelayDeps, socket: LiveSocket, stream: string, event: ReadEvent): void {
  const { row, body } = event;
  if (!canReach(socket.data.caller, row)) return;
  const shown = views[socket.data.caller.kind]?.(body) ?? body;
  socket.emit('event', { ...shown, position: placeOf(stream, event) });
  deps.telemetry.metrics.replayedEvents.inc();
}

/** What those see of an event who do not see all of it. */
const views: Partial<Record<Caller['kind'], (event: EventObject) => EventObject>> = {
  'join-token': withoutPeople,
  'check-token': eventSeenBySubject,
};

/** Who came by a link is told of others no more than `meetings.getByLink` shows (domain §6). */
function withoutPeople(event: EventObject): EventObject {
  const { participant, ...object } = event.data.object;
  if (participant === undefined) return event;
  const shown = { ...Object(participant), poly_user_id: null, link_session_id: null };
  return { ...event, data: { ...event.data, object: { ...object, participant: shown } } };
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
