import { listLive } from '../../db/queries/credentials.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { askedOf } from '../http/auth/credentials/session.ts';
import { standingsOf } from '../meetings/join-state.ts';
import { end } from './pressure.ts';
import type { LiveServer, LiveSocket } from './server.ts';

type CredentialDeps = Pick<Deps, 'db' | 'clock' | 'telemetry'>;

const longestTimerMs = 2 ** 31 - 1;
/** Rounds that are asked for are this far apart at least. */
const soonMs = 1_000;

/** A socket lives no longer than the credential that opened it. */
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
 * Checks the credentials of all sockets together and ends those that no longer hold: API keys,
 * sessions with their membership and roles, and join tokens. Three queries, whatever the number of
 * sockets. Rounds come at 80 to 100 % of `recheckMs`, so that processes started together do not ask
 * together. A round that is asked for because a credential has ended comes at most a second after
 * the one before.
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
  // One of each: many sockets may have come with the same credential.
  const held = [
    ...new Map(sockets.map(({ data: { caller } }) => [nameOf(caller), caller])).values(),
  ];
  const keys = held.filter((caller) => caller.kind === 'api-key');
  const sessions = held.filter((caller) => caller.kind === 'session');
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

/** Join tokens by which a meeting is followed, and which let nobody in any more. */
async function shutOut(deps: CredentialDeps, sockets: readonly LiveSocket[]): Promise<Caller[]> {
  const joining = sockets
    .filter(({ data }) => data.streams.size > 0)
    .flatMap(({ data: { caller } }) => (caller.kind === 'join-token' ? [caller] : []));
  if (joining.length === 0) return [];
  const ids = [...new Set(joining.map(({ joinSessionId }) => joinSessionId))];
  const standings = await standingsOf(deps, ids, deps.clock());
  return joining.filter(({ joinSessionId: id }) => !standings.get(id)?.isLetIn);
}

/** What a credential is and was found to allow; a check token only runs out. */
function nameOf(caller: Caller): string {
  if (caller.kind === 'api-key') return `${caller.keyId} ${caller.roles.join()}`;
  if (caller.kind === 'join-token') return caller.joinSessionId;
  return caller.kind === 'session' ? askedOf(caller) : '';
}
