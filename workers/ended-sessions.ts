import type { Db } from '../db/client.ts';
import { removeEndedSessions } from '../db/queries/credentials.ts';
import type { Outbox } from './relay.ts';

export interface EndedSessionsDeps {
  readonly db: Db;
  readonly clock: () => Date;
}

const batchSize = 1_000;
/** A sweep finds what ended in this time; nothing waits for it. */
const restMs = 60_000;
/** Until then its row says who had signed in, how, and when that was revoked. */
const keptMs = 90 * 24 * 3600_000;

/**
 * Removes sign-in sessions ninety days after they expired. No token of theirs is good any more, and
 * a session without a row is refused like one that has ended. A revoked one is kept as long as it
 * would have been. Looks once a minute, whoever asks; several workers take different rows.
 */
export function endedSessions({ db, clock }: EndedSessionsDeps): Outbox {
  let nextAt = 0;
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      const now = clock().getTime();
      if (now < nextAt) return;
      const expiredBefore = new Date(now - keptMs);
      while (!signal.aborted) {
        if ((await removeEndedSessions(db, expiredBefore, batchSize)) < batchSize) break;
      }
      nextAt = now + restMs;
    },
  };
}
