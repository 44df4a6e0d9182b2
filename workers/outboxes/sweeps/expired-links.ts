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
 * Says of every link whose end has come that it has expired. Readers see it by the date at once;
 * this writes it down and makes the event, both in one transaction and once, however many workers
 * sweep. A link of which it cannot be said is logged and left for the next round; those behind it
 * go on. Throws what came last when a thousand have failed.
 */
export function expiredLinks(deps: ExpiredLinksDeps): Outbox {
  return {
    channel: null,
    countedAs: null,
    drain: async (signal) => {
      const failed: string[] = [];
      for (;;) {
        const ended = await listEnded(deps.db, deps.clock(), batchSize, failed);
        // One transaction a link: who held two accounts' streams could wait for another in a ring.
        for (const linkUuid of ended) {
          if (signal.aborted) return;
          await expire(deps, linkUuid).catch((err: unknown) => {
            // A database that does not answer would keep every one of them waiting.
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
