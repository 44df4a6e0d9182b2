import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { transaction, type Db } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { appendEvents } from '../../../db/queries/events.ts';
import { linkEvent } from '../../../db/queries/link-leases.ts';
import { expireLink, listEnded, lockLink } from '../../../db/queries/links.ts';
import type { Outbox } from '../relay.ts';

export interface ExpiredLinksDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

const batchSize = 100;
const failedMax = 1_000;

/**
 * Marks every expired link as expired. Readers see the expiry by its date at once; this writes the
 * status and the event, in one transaction and once, even with several workers. Logs a link that
 * cannot be written and leaves it for the next round.
 * @throws the last error if a thousand links have failed
 */
export function expiredLinks(deps: ExpiredLinksDeps): Outbox {
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      const failed: string[] = [];
      for (;;) {
        const ended = await listEnded(deps.db, deps.clock(), batchSize, failed);
        // One transaction per link: locks on the streams of two accounts could deadlock.
        for (const linkUuid of ended) {
          if (signal.aborted) return;
          await expire(deps, linkUuid).catch((err: unknown) => {
            // If the database does not answer, all others would fail, too.
            if (!(err instanceof DatabaseError)) throw err;
            failed.push(linkUuid);
            deps.log.warn({ err, row: linkUuid }, 'the end of a link could not be written');
            if (failed.length >= failedMax) throw err;
          });
        }
        if (ended.length < batchSize) return;
      }
    },
  };
}

async function expire({ db, ids, clock }: ExpiredLinksDeps, linkUuid: string): Promise<void> {
  const now = clock();
  await transaction(db, async (tx) => {
    const before = await lockLink(tx, linkUuid);
    const link = await expireLink(tx, linkUuid, now);
    if (!link) return;
    await appendEvents(tx, { ids, now }, [linkEvent(link, 'link.expired', before?.status)]);
  });
}
