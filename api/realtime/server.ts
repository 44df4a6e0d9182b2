import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import type { eventObject } from '../../db/event-object.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { authenticateApiKey } from '../auth/api-key.ts';
import type { Caller } from '../auth/caller.ts';
import { authenticateCheckToken } from '../auth/check-token.ts';
import { authenticateSession } from '../auth/session.ts';
import type { Deps } from '../deps.ts';
import { createRelay, type Relay } from './relay.ts';
import { streamForm } from './streams.ts';

export type EventBody = ReturnType<typeof eventObject> & { readonly position: number };

export interface ServerToClient {
  event: (event: EventBody) => void;
  bye: (reason: { code: 'expired' | 'shutdown' | 'too_slow' }) => void;
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
  subscriptions: number;
}
export type LiveSocket = Socket<ClientToServer, ServerToClient, Record<string, never>, SocketData>;
export type LiveServer = Server<ClientToServer, ServerToClient, Record<string, never>, SocketData>;

const messageBytesMax = 16 * 1024;
const subscriptionsMax = 50;
const longestTimerMs = 2 ** 31 - 1;

type RealtimeDeps = Pick<Deps, 'db' | 'keys' | 'settings' | 'clock' | 'log' | 'metrics'>;

/** Live updates over Socket.IO: the event log as it grows, replayed first to whoever missed some. */
export function createRealtime(
  http: HttpServer,
  deps: RealtimeDeps,
  databaseUrl: string,
): { io: LiveServer; relay: Relay; stop: () => Promise<void> } {
  const io: LiveServer = new Server(http, {
    serveClient: false,
    transports: ['websocket'],
    maxHttpBufferSize: messageBytesMax,
    perMessageDeflate: false,
    pingInterval: 25_000,
    pingTimeout: 20_000,
    allowRequest: (request, decide) => {
      const { origin } = request.headers;
      decide(null, origin === undefined || origin === deps.settings.origin);
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
    deps.metrics.sockets.inc();
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
      deps.metrics.sockets.dec();
      relay.leaveAll(socket);
    });
  });
  const stop = async (): Promise<void> => {
    io.emit('bye', { code: 'shutdown' });
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
    : (authenticateCheckToken(deps, token, now) ?? (await authenticateSession(deps, token, now)));
  socket.data.caller = caller;
  socket.data.subscriptions = 0;
}

function refusal(error: unknown): Error {
  const code = error instanceof Failure ? error.code : 'unexpected';
  return Object.assign(new Error(code), { data: { code } });
}

/** A socket lives no longer than the credential that opened it. */
function endAtExpiry(deps: RealtimeDeps, socket: LiveSocket): void {
  const { caller } = socket.data;
  if (!('expiresAt' in caller)) return;
  const leftMs = caller.expiresAt.getTime() - deps.clock().getTime();
  const timer = setTimeout(
    () => {
      socket.emit('bye', { code: 'expired' });
      socket.disconnect(true);
    },
    Math.min(Math.max(leftMs, 0), longestTimerMs),
  );
  socket.on('disconnect', () => clearTimeout(timer));
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
  if (socket.data.subscriptions >= subscriptionsMax) throw new Failure('rate_limited');
  if (!(await maySubscribe(deps, socket.data.caller, stream))) throw new Failure('not_found');
  socket.data.subscriptions += 1;
  try {
    return { ok: true, head: await relay.join(socket, stream, after) };
  } catch (error) {
    socket.data.subscriptions -= 1;
    throw error;
  }
}

async function maySubscribe(deps: RealtimeDeps, caller: Caller, stream: string): Promise<boolean> {
  const [kind, id = ''] = stream.split(':');
  if (caller.kind === 'check-token') return stream === `trust-check:${caller.linkSessionId}`;
  if (caller.kind === 'anonymous') return false;
  const isPlatform = caller.roles.includes('POLYADMIN');
  if (kind === 'account') return isPlatform || caller.accountId === Number(id);
  const session = await findTrustCheck(deps.db, id);
  return session !== null && (isPlatform || session.account_id === caller.accountId);
}
