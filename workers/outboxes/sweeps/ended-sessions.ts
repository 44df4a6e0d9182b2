import type { Db } from '../../../db/client.ts';
import { removeEndedSessions } from '../../../db/queries/credentials.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

/** Until then the row shows who signed in, how, and when the session was revoked. */
const retentionMs = 90 * 24 * 3600_000;

/**
 * Removes sign-in sessions ninety days after they expired, revoked ones included. Their tokens are
 * invalid by then, and a session without a row is rejected like an expired one.
 */
export function endedSessions(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) =>
    removeEndedSessions(deps.db, new Date(now.getTime() - retentionMs), lengthMax),
  );
}
