import type { Db } from '../../../db/client.ts';
import { removeEndedSessions } from '../../../db/queries/credentials.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

/** Until then its row says who had signed in, how, and when that was revoked. */
const retentionMs = 90 * 24 * 3600_000;

/**
 * Removes sign-in sessions ninety days after they expired. No token of theirs is good any more, and
 * a session without a row is refused like one that has ended. A revoked one is kept as long as it
 * would have been.
 */
export function endedSessions(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) =>
    removeEndedSessions(deps.db, new Date(now.getTime() - retentionMs), lengthMax),
  );
}
