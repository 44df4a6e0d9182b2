import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { eventObject } from '../../db/event-object.ts';
import { hasRole } from '../../db/names.ts';
import { findNewestMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { authenticateApiKey } from '../auth/api-key.ts';
import type { Caller } from '../auth/caller.ts';
import { authenticateCheckToken } from '../auth/check-token.ts';
import { authenticateJoinToken } from '../auth/join-token.ts';
import { authenticateSession } from '../auth/session.ts';
import { socketsPath } from '../create-server.ts';
import type { Deps } from '../deps.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import { meetingOf } from '../meetings/find.ts';
import { standingsOf } from '../meetings/join-state.ts';
import { endAtExpiry, watchCredentials } from './credentials.ts';
import { admitsHandshake, admitsOrigin } from './origins.ts';
import { createRelay, type Relay } from './relay.ts';
import { streamForm } from './streams.ts';

export type EventBody = ReturnType<typeof eventObject> & { readonly position: number };

export interface ServerToClient {
  event: (event: EventBody) => void;
  bye: (reason: { code: 'expired' | 'revoked' | 'shutdown' | 'too_slow' }) => void;
}
export interface ClientToServer {
  subscribe: (
    request: { stream?: unknown; after?: unknown },
    answer: (result: SubscribeAnswer) => void,
  ) => void;
}
export type SubscribeAnswer =
  | { readonly ok: true; readonly head: number }
  | { readonly ok: false; readonly code: string };

interface SocketData {
  caller: Caller;
  /** Streams that are followed or asked for, with how often they were asked for and not refused. */
  readonly streams: Map<string, number>;
}
export type LiveSocket = Socket<ClientToServer, ServerToClient, Record<string, never>, SocketData>;
export type LiveServer = Server<ClientToServer, ServerToClient, Record<string, never>, SocketData>;

const messageBytesMax = 16 * 1024;
const subscriptionsMax = 50;
/** How long a revoked credential is still served at most, as it is over HTTP. */
const recheckMsMax = 30_000;

type RealtimeDeps = Pick<Deps, 'db' | 'keys' | 'settings' | 'clock' | 'telemetry'>;

/**
 * Live updates over Socket.IO: the event log as it grows, replayed first to whoever missed some.
 * `recheckMs` bounds how long a socket outlives a credential that is revoked.
 */
export function createRealtime(
  http: HttpServer,
  deps: RealtimeDeps,
  databaseUrl: string,
  recheckMs = recheckMsMax,
): { io: LiveServer; relay: Relay; stop: () => Promise<void> } {
  const io: LiveServer = new Server(http, {
    serveClient: false,
    path: socketsPath,
    transports: ['websocket'],
    maxHttpBufferSize: messageBytesMax,
    perMessageDeflate: false,
    pingInterval: 25_000,
    pingTimeout: 20_000,
    allowRequest: (request, decide) => {
      admitsHandshake(deps, request.headers.origin).then(
        (isAdmitted) => decide(null, isAdmitted),
        () => decide(null, false),
      );
    },
  });
  const relay = createRelay(deps, databaseUrl);
  io.use((socket, next) => {
    greet(deps, socket).then(
      () => next(),
      (error: unknown) => next(refusal(error)),
    );
  });
  io.on('connection', (socket) => {
    deps.telemetry.metrics.sockets.inc();
    // The first request is kept alive by the engine for nothing; letting it go saves its memory.
    Object.assign(socket.conn, { request: null });
    endAtExpiry(deps, socket);
    socket.on('subscribe', (request, answer) => {
      if (typeof answer !== 'function') return;
      subscribe(deps, relay, socket, request).then(answer, (error: unknown) => {
        answer({ ok: false, code: error instanceof Failure ? error.code : 'unexpected' });
      });
    });
    socket.on('disconnect', () => {
      deps.telemetry.metrics.sockets.dec();
      relay.leaveAll(socket);
    });
  });
  const watch = watchCredentials(deps, io, recheckMs);
  const stop = async (): Promise<void> => {
    io.emit('bye', { code: 'shutdown' });
    watch.stop();
    await relay.stop();
    io.disconnectSockets(true);
    await io.close();
  };
  return { io, relay, stop };
}

async function greet(deps: RealtimeDeps, socket: LiveSocket): Promise<void> {
  const token: unknown = socket.handshake.auth['token'];
  if (typeof token !== 'string' || token.length > 8192) throw new Failure('credential_invalid');
  const now = deps.clock();
  const caller = token.startsWith('tk_')
    ? await authenticateApiKey(deps, token, now)
    : (authenticateCheckToken(deps, token, now) ??
      authenticateJoinToken(deps, token, now) ??
      // What is remembered of it may be half a minute old, and the next round comes as much later.
      (await authenticateSession(deps, token, now, 0)));
  if (!(await admitsOrigin(deps, socket.handshake.headers.origin, caller))) {
    throw new Failure('credential_invalid');
  }
  socket.data.caller = caller;
  Object.assign(socket.data, { streams: new Map() });
}

function refusal(error: unknown): Error {
  const code = error instanceof Failure ? error.code : 'unexpected';
  return Object.assign(new Error(code), { data: { code } });
}

async function subscribe(
  deps: RealtimeDeps,
  relay: Relay,
  socket: LiveSocket,
  request: { stream?: unknown; after?: unknown } | null,
): Promise<SubscribeAnswer> {
  const stream = request?.stream;
  const after = request?.after ?? 0;
  if (typeof stream !== 'string' || !streamForm.test(stream)) throw new Failure('not_found');
  if (typeof after !== 'number' || !Number.isSafeInteger(after) || after < 0) {
    throw new Failure('malformed_json');
  }
  const { streams } = socket.data;
  const count = (by: 1 | -1): void => {
    const left = (streams.get(stream) ?? 0) + by;
    if (left > 0) streams.set(stream, left);
    else streams.delete(stream);
  };
  // One that is followed is asked for again after every gap, and stays one.
  const isNew = !streams.has(stream);
  if (isNew && streams.size >= subscriptionsMax) throw new Failure('rate_limited');
  // Counted before anything is awaited: many at once are not let past the limit.
  count(1);
  try {
    await authorize(deps, socket.data.caller, stream);
    return { ok: true, head: await relay.join(socket, stream, after) };
  } catch (error) {
    count(-1);
    throw error;
  }
}

/** As the pull feed does: `not_found` to a stranger, `role_required` to a member below VIEWER. */
async function authorize(deps: RealtimeDeps, caller: Caller, stream: string): Promise<void> {
  if (!(await maySubscribe(deps, caller, stream))) throw new Failure('not_found');
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return;
  if (!hasRole(caller.roles, 'VIEWER')) throw new Failure('role_required');
}

async function maySubscribe(deps: RealtimeDeps, caller: Caller, stream: string): Promise<boolean> {
  const [kind, id = '', meetingId = ''] = stream.split(':');
  if (caller.kind === 'check-token') return stream === `trust-check:${caller.linkSessionId}`;
  if (caller.kind === 'anonymous') return false;
  const meeting = kind === 'meeting' ? await meetingOf(deps, id, meetingId) : null;
  if (caller.kind === 'join-token') {
    return meeting !== null && isLetInto(deps, meeting, caller.joinSessionId);
  }
  const isPlatform = caller.roles.includes('POLYADMIN');
  if (kind === 'account') return isPlatform || caller.accountId === Number(id);
  const followed = kind === 'meeting' ? meeting : await findTrustCheck(deps.db, id);
  return followed !== null && (isPlatform || followed.account_id === caller.accountId);
}

/** Whom a link has let in follows the meeting they came into and the one that is on. */
async function isLetInto(deps: RealtimeDeps, meeting: MeetingRow, id: string): Promise<boolean> {
  const standing = (await standingsOf(deps, [id], deps.clock())).get(id);
  if (!standing?.isLetIn || standing.link_uuid !== meeting.link_uuid) return false;
  if (standing.meeting_key === meeting.meeting_key) return true;
  const newest = await findNewestMeeting(deps.db, meeting.link_uuid);
  return newest?.meeting_key === meeting.meeting_key && !isMeetingOver(newest.status);
}
