import { listLive } from '../../db/queries/credentials.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { askedOf } from '../http/auth/credentials/session.ts';
import { standingsOf } from '../meetings/join-state.ts';
import { end } from './pressure.ts';
import type { LiveServer, LiveSocket } from './server.ts';

type CredentialDeps = Pick<Deps, 'db' | 'clock' | 'telemetry'>;

const longestTimerMs = 2 ** 31 - 1;
/** Minimum interval of requested rounds. */
const soonMs = 1_000;

/** Ends a socket when the credential that opened it expires. */
export function endAtExpiry(deps: Pick<Deps, 'clock'>, socket: LiveSocket): void {
  const { caller } = socket.data;
  const endsAt = 'expiresAt' in caller ? caller.expiresAt : null;
  if (!endsAt) return;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = endsAt.getTime() - deps.clock().getTime();
    if (leftMs <= 0) return end(socket, 'expired');
    timer = setTimeout(wait, Math.min(leftMs, longestTimerMs));
  };
  socket.on('disconnect', () => clearTimeout(timer));
  wait();
}

/**
 * Checks the credentials of all sockets together and ends sockets with an invalid one: API keys,
 * sessions with their membership and roles, and join tokens. It makes three queries, whatever the
 * number of sockets. A round follows after 80 to 100 % of `recheckMs`, so that processes that
 * started together do not query together. A round requested because a credential ended starts at
 * most a second after the previous one.
 */
export function watchCredentials(
  deps: CredentialDeps,
  io: LiveServer,
  recheckMs: number,
): { recheckSoon: () => void; stop: () => void } {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  let isAsked = false;
  let lastMs = 0;
  const arm = (ms = recheckMs * (0.8 + Math.random() * 0.2)): void => {
    if (isStopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isAsked = false;
      lastMs = performance.now();
      void endRevoked(deps, io).finally(() => (isAsked ? arm(soonMs) : arm()));
    }, ms);
  };
  arm();
  return {
    recheckSoon: () => {
      isAsked = true;
      arm(Math.max(0, lastMs + soonMs - performance.now()));
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function endRevoked(deps: CredentialDeps, io: LiveServer): Promise<void> {
  const sockets = [...io.sockets.sockets.values()];
  // Without duplicates, because many sockets can share a credential.
  const callers = [
    ...new Map(sockets.map(({ data: { caller } }) => [nameOf(caller), caller])).values(),
  ];
  const keys = callers.filter((caller) => caller.kind === 'api-key');
  const sessions = callers.filter((caller) => caller.kind === 'session');
  try {
    const live = await listLive(deps.db, keys, sessions, deps.clock());
    const ended = [...keys, ...sessions].filter((caller) => !live.has(caller));
    const names = new Set([...ended, ...(await shutOut(deps, sockets))].map(nameOf));
    for (const socket of sockets) {
      if (names.has(nameOf(socket.data.caller))) end(socket, 'revoked');
    }
  } catch (err) {
    deps.telemetry.log.warn(
      { err },
      'credentials of sockets could not be checked; the next round does',
    );
  }
}

/** Returns the callers with a join token that follow a meeting but may no longer join. */
async function shutOut(deps: CredentialDeps, sockets: readonly LiveSocket[]): Promise<Caller[]> {
  const joining = sockets
    .filter(({ data }) => data.streams.size > 0)
    .flatMap(({ data: { caller } }) => (caller.kind === 'join-token' ? [caller] : []));
  if (joining.length === 0) return [];
  const ids = [...new Set(joining.map(({ joinSessionId }) => joinSessionId))];
  const standings = await standingsOf(deps, ids, deps.clock());
  return joining.filter(({ joinSessionId: id }) => !standings.get(id)?.isLetIn);
}

/**
 * Returns a key for a credential with its rights. A check token can only expire, so it has none.
 */
function nameOf(caller: Caller): string {
  if (caller.kind === 'api-key') return `${caller.keyId} ${caller.roles.join()}`;
  if (caller.kind === 'join-token') return caller.joinSessionId;
  return caller.kind === 'session' ? askedOf(caller) : '';
}
