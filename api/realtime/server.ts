import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import type { EventObject } from '../../db/queries/event-object.ts';
import { findNewestMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { inOpenScope } from '../../db/rights/account-scope.ts';
import { hasRole } from '../../domain/names.ts';
import { dpopNonce } from '../../domain/tokens/dpop-nonce.ts';
import { Failure, type FailureCode } from '../../workflows/failures.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import type { Deps } from '../deps.ts';
import { callerOfToken } from '../http/auth/authenticate.ts';
import { canReach } from '../http/auth/authorize.ts';
import type { Caller } from '../http/auth/caller.ts';
import { authenticateApiKey } from '../http/auth/credentials/api-key.ts';
import { dpopFaults } from '../http/auth/dpop/prove-key.ts';
import { assertScope } from '../http/auth/scopes.ts';
import { socketsPath } from '../http/server/create-server.ts';
import { meetingOf } from '../meetings/find.ts';
import { standingsOf } from '../meetings/join-state.ts';
import { endAtExpiry, watchCredentials } from './credentials.ts';
import { admitsHandshake, admitsOrigin } from './origins.ts';
import { hearInPace, paceConnections } from './pace.ts';
import { proveSocketKey } from './possession.ts';
import { createRelay, type Relay } from './relay.ts';
import { streamForm } from './streams.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';

export type EventBody = EventObject & { readonly position: number };

export interface ServerToClient {
  event: (event: EventBody) => void;
  bye: (reason: { code: 'expired' | 'rate_limited' | 'revoked' | 'shutdown' | 'too_slow' }) => void;
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
  /** Streams that are followed or requested. */
  readonly streams: Set<string>;
  /** Streams with an unanswered request, at most one each. */
  readonly asked: Set<string>;
}
export type LiveSocket = Socket<ClientToServer, ServerToClient, Record<string, never>, SocketData>;
export type LiveServer = Server<ClientToServer, ServerToClient, Record<string, never>, SocketData>;

const messageBytesMax = 16 * 1024;
/** Maximum of followed and requested streams of a socket. */
const subscriptionsMax = 50;
/**
 * Limits of the queries of all sockets. They are fewer than the process has database connections.
 */
const turnsOfAll = { atOnceMax: 4, waitingMax: 5_000, waitMsMax: 5_000 };
/** Maximum time that a revoked credential is still served, as over HTTP. */
const recheckMsMax = 30_000;

type RealtimeDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'settings' | 'clock' | 'telemetry'>;

/**
 * Creates live updates over Socket.IO: the event log as it grows, after a replay for clients that
 * missed events.
 * @param recheckMs maximum time that a socket outlives a revoked credential
 */
export function createRealtime(
  http: HttpServer,
  deps: RealtimeDeps,
  databaseUrl: string,
  recheckMs = recheckMsMax,
): { io: LiveServer; relay: Relay; stop: () => Promise<void> } {
  const turned = { ...deps, inTurn: createSemaphore(turnsOfAll) };
  const io: LiveServer = new Server(http, {
    serveClient: false,
    path: socketsPath,
    transports: ['websocket'],
    maxHttpBufferSize: messageBytesMax,
    perMessageDeflate: false,
    pingInterval: 25_000,
    pingTimeout: 20_000,
    allowRequest: (request, decide) => {
      turned
        .inTurn(() => admitsHandshake(deps, request.headers.origin))
        .then(
          (isAdmitted) => decide(null, isAdmitted),
          () => decide(null, false),
        );
    },
  });
  const watch = watchCredentials(deps, io, recheckMs);
  const relay = createRelay(turned, databaseUrl, watch.recheckSoon);
  acceptSockets(turned, io);
  paceConnections(io, deps.clock);
  io.on('connection', (socket) => {
    deps.telemetry.metrics.sockets.inc();
    // The engine keeps the first request without need. Releasing it saves its memory.
    Object.assign(socket.conn, { request: null });
    endAtExpiry(deps, socket);
    hearInPace(socket, deps.clock);
    socket.on('subscribe', (request, answer) => {
      if (typeof answer !== 'function') return;
      subscribe(turned, relay, socket, request).then(answer, (error: unknown) => {
        answer({ ok: false, code: codeOf(deps, error) });
      });
    });
    socket.on('disconnect', () => {
      deps.telemetry.metrics.sockets.dec();
      relay.leaveAll(socket);
    });
  });
  const stop = async (): Promise<void> => {
    io.emit('bye', { code: 'shutdown' });
    watch.stop();
    await relay.stop();
    io.disconnectSockets(true);
    await io.close();
  };
  return { io, relay, stop };
}

/** One handshake per connection at a time, because each costs the lookup of a credential. */
function acceptSockets(deps: RealtimeDeps & { readonly inTurn: Semaphore }, io: LiveServer): void {
  const greeted = new WeakSet<LiveSocket['conn']>();
  io.use((socket, next) => {
    const { conn } = socket;
    if (greeted.has(conn)) return next(refusal(deps, new Failure('rate_limited')));
    greeted.add(conn);
    deps
      .inTurn(() => inOpenScope(() => greet(deps, socket)))
      .finally(() => greeted.delete(conn))
      .then(
        () => next(),
        (error: unknown) => next(refusal(deps, error)),
      );
  });
}

async function greet(deps: RealtimeDeps, socket: LiveSocket): Promise<void> {
  const token: unknown = socket.handshake.auth['token'];
  if (token === undefined) throw new Failure('credential_missing');
  if (typeof token !== 'string' || token.length > 8192) throw new Failure('credential_malformed');
  const now = deps.clock();
  const caller = token.startsWith('tk_')
    ? await authenticateApiKey(deps, token, now)
    : // A remembered result may be 30 seconds old: a socket asks the database.
      await callerOfToken(deps, token, now, 0);
  await proveSocketKey(deps, caller, { token, proof: socket.handshake.auth['proof'] }, now);
  if (!(await admitsOrigin(deps, socket.handshake.headers.origin, caller))) {
    throw new Failure('credential_invalid');
  }
  socket.data.caller = caller;
  Object.assign(socket.data, { streams: new Set(), asked: new Set() });
}

function refusal(deps: RealtimeDeps, error: unknown): Error {
  const code = codeOf(deps, error);
  // The page signs its next proof over this nonce.
  const isUnproven = dpopFaults.some((each) => each === code);
  const nonce = isUnproven && dpopNonce(deps.keys.secret('dpop-nonce'), deps.clock());
  return Object.assign(new Error(code), { data: nonce ? { code, nonce } : { code } });
}

/** As over HTTP: an unavailable database, or one without a free connection, can be retried. */
function codeOf({ telemetry }: RealtimeDeps, error: unknown): FailureCode {
  if (error instanceof Failure) return error.code;
  if (isDatabaseUnavailable(error)) return 'dependency_unavailable';
  telemetry.log.error({ err: error }, 'fault at a socket');
  return 'unexpected';
}

/**
 * Reads a position as a number, as events have it, or as text, as pages of events have it.
 * @throws Failure `malformed_json`
 */
function placeIn(given: unknown): number {
  const place = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if (typeof place === 'number' && Number.isSafeInteger(place) && place >= 0) return place;
  throw new Failure('malformed_json', { detail: 'after must be a place in the stream: 0, 1, …' });
}

/**
 * @throws Failure `malformed_json` for an unknown member: a misspelled `after` would lose the
 *   position
 */
function checkMembers(request: object): void {
  const unknown = Object.keys(request).find((name) => name !== 'stream' && name !== 'after');
  if (unknown === undefined) return;
  throw new Failure('malformed_json', { detail: 'a subscription has `stream` and `after` alone' });
}

async function subscribe(
  deps: RealtimeDeps & { readonly inTurn: Semaphore },
  relay: Relay,
  socket: LiveSocket,
  request: { stream?: unknown; after?: unknown } | null,
): Promise<SubscribeAnswer> {
  const stream = request?.stream;
  if (typeof stream !== 'string' || !streamForm.test(stream)) throw new Failure('not_found');
  checkMembers(Object(request));
  const after = placeIn(request?.after ?? 0);
  const { streams, asked } = socket.data;
  if (asked.has(stream)) throw new Failure('rate_limited');
  // A socket that is up to date needs no authorization and no query.
  if (relay.placeOf(socket, stream) === after) return { ok: true, head: after };
  // A followed stream is requested again after each gap. It still counts once.
  const isNew = !streams.has(stream);
  if (isNew && streams.size >= subscriptionsMax) throw new Failure('rate_limited');
  // Counted before the first await, so that concurrent requests cannot exceed the limit.
  streams.add(stream);
  asked.add(stream);
  try {
    const { caller } = socket.data;
    await deps.inTurn(() => inOpenScope(() => authorize(deps, caller, stream)));
    return { ok: true, head: await relay.join(socket, stream, after) };
  } catch (error) {
    if (isNew) streams.delete(stream);
    throw error;
  } finally {
    asked.delete(stream);
  }
}

/**
 * @throws Failure `not_found` for a caller of another account, `role_required` below VIEWER,
 *   `insufficient_scope`
 */
async function authorize(deps: RealtimeDeps, caller: Caller, stream: string): Promise<void> {
  if (!(await maySubscribe(deps, caller, stream))) throw new Failure('not_found');
  if (caller.kind !== 'session' && caller.kind !== 'api-key') return;
  if (!hasRole(caller.roles, 'VIEWER')) throw new Failure('role_required');
  assertScope(caller, 'events:read');
}

async function maySubscribe(deps: RealtimeDeps, caller: Caller, stream: string): Promise<boolean> {
  const [kind, id = '', meetingId = ''] = stream.split(':');
  if (caller.kind === 'check-token') {
    return stream === `trust-check:${caller.linkSessionId}`;
  }
  if (caller.kind === 'anonymous') return false;
  const meeting = kind === 'meeting' ? await meetingOf(deps, id, meetingId) : null;
  if (caller.kind === 'join-token') {
    return meeting !== null && mayWatchMeeting(deps, meeting, caller.joinSessionId);
  }
  const isPlatform = caller.roles.includes('POLYADMIN');
  if (kind === 'account') return isPlatform || caller.accountId === Number(id);
  const followed =
    kind === 'meeting'
      ? meeting && { ...meeting, app_id: null }
      : await findTrustCheck(deps.db, id);
  if (!followed || !canReach(caller, followed)) return false;
  return isPlatform || followed.account_id === caller.accountId;
}

/** A join session follows the meeting it joined and the live one of its link. */
async function mayWatchMeeting(
  deps: RealtimeDeps,
  meeting: MeetingRow,
  id: string,
): Promise<boolean> {
  const standing = (await standingsOf(deps, [id], deps.clock())).get(id);
  if (!standing?.isLetIn || standing.link_uuid !== meeting.link_uuid) return false;
  if (standing.meeting_key === meeting.meeting_key) return true;
  const newest = await findNewestMeeting(deps.db, meeting.link_uuid);
  return newest?.meeting_key === meeting.meeting_key && !isMeetingOver(newest.status);
}
