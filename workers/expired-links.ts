import { transaction, type Db } from '../db/client.ts';
import type { Ids } from '../db/ids.ts';
import { appendEvents } from '../db/queries/events.ts';
import { linkEvent } from '../db/queries/link-leases.ts';
import { expireLink, listEnded, lockLink } from '../db/queries/links.ts';
import type { Outbox } from './relay.ts';

export interface ExpiredLinksDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
}

const batchSize = 100;

/**
 * Says of every link whose end has come that it has expired. Readers see it by the date at once;
 * this writes it down and makes the event, both in one transaction and once, however many workers
 * sweep.
 */
export function expiredLinks({ db, ids, clock }: ExpiredLinksDeps): Outbox {
  return {
    channel: null,
    drain: async (signal) => {
      for (;;) {
        const now = clock();
        const ended = await listEnded(db, now, batchSize);
        // One transaction a link: who held two accounts' streams could wait for another in a ring.
        for (const linkUuid of ended) {
          if (signal.aborted) return;
          await transaction(db, async (tx) => {
            const before = await lockLink(tx, linkUuid);
            const link = await expireLink(tx, linkUuid, now);
            if (!link) return;
            const event = linkEvent(link, 'link.expired', before?.status);
            await appendEvents(tx, { ids, now }, [event]);
          });
        }
        if (ended.length < batchSize) return;
      }
    },
  };
}
