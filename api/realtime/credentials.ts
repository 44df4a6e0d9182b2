import { listLive } from '../../db/queries/credentials.ts';
import type { Caller } from '../auth/caller.ts';
import type { Deps } from '../deps.ts';
import type { LiveServer, LiveSocket } from './server.ts';

type CredentialDeps = Pick<Deps, 'db' | 'clock' | 'log'>;

const longestTimerMs = 2 ** 31 - 1;

/** A socket lives no longer than the credential that opened it. */
export function endAtExpiry(deps: Pick<Deps, 'clock'>, socket: LiveSocket): void {
  const { caller } = socket.data;
  const end = 'expiresAt' in caller ? caller.expiresAt : null;
  if (!end) return;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = end.getTime() - deps.clock().getTime();
    if (leftMs <= 0) return finish(socket, 'expired');
    timer = setTimeout(wait, Math.min(leftMs, longestTimerMs));
  };
  socket.on('disconnect', () => clearTimeout(timer));
  wait();
}

/**
 * Asks of all sockets together whether their API keys and sessions are still good, and ends those
 * whose are not: two queries however many sockets there are. Rounds come at 80 to 100 % of
 * `recheckMs`, so that processes started together do not ask together.
 */
export function watchCredentials(
  deps: CredentialDeps,
  io: LiveServer,
  recheckMs: number,
): { stop: () => void } {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const arm = (): void => {
    if (isStopped) return;
    timer = setTimeout(
      () => void endRevoked(deps, io).finally(arm),
      recheckMs * (0.8 + Math.random() * 0.2),
    );
  };
  arm();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function endRevoked(deps: CredentialDeps, io: LiveServer): Promise<void> {
  const held = [...io.sockets.sockets.values()].flatMap((socket) => {
    const credential = credentialOf(socket.data.caller);
    return credential ? [{ socket, ...credential }] : [];
  });
  if (held.length === 0) return;
  const idsOf = (kind: Caller['kind']): string[] => [
    ...new Set(held.filter((one) => one.kind === kind).map(({ id }) => id)),
  ];
  try {
    const asked = { keyIds: idsOf('api-key'), sids: idsOf('session') };
    const live = await listLive(deps.db, asked, deps.clock());
    for (const { socket, id } of held) if (!live.has(id)) finish(socket, 'revoked');
  } catch (err) {
    deps.log.warn({ err }, 'credentials of sockets could not be checked; the next round does');
  }
}

/** What can be revoked of a caller; a check token only runs out. */
function credentialOf(caller: Caller): { kind: Caller['kind']; id: string } | null {
  if (caller.kind === 'api-key') return { kind: caller.kind, id: caller.keyId };
  return caller.kind === 'session' ? { kind: caller.kind, id: caller.sid } : null;
}

function finish(socket: LiveSocket, code: 'expired' | 'revoked'): void {
  socket.emit('bye', { code });
  socket.disconnect(true);
}
