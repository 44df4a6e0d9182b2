import type { Logger } from 'pino';
import type { Db } from '../../../../db/client.ts';
import {
  listUnread,
  noteSerials,
  type UnreadDevice,
} from '../../../../db/queries/vendor-revoked.ts';
import type { Sealer } from '../../../../db/sealing/sealed.ts';
import { serialsOf } from '../../../../domain/proofs/device/android/status-list.ts';
import { chainOf, openEnrollment } from '../enrollment.ts';

export interface SerialsDeps {
  readonly db: Db;
  readonly sealer: Sealer;
}

const batchSize = 500;
/** In a row: whoever opens what is sealed is away, and the others would wait too. */
const failedMax = 100;
/** Of one hour of the schedule; the rest follows in the next. */
const spentMsMax = 60_000;

/** Reads the serial numbers of a phone that was enrolled before they were kept, and keeps them. */
export async function keepSerials(
  { db, sealer }: SerialsDeps,
  device: UnreadDevice,
): Promise<string[]> {
  const serials = serialsOf(chainOf(await openEnrollment(sealer, device)));
  await noteSerials(db, device.device_id, serials);
  return serials;
}

/**
 * Does so for phones that have none, for a minute at most or until a hundred in a row fail; gives
 * how many it read. One that cannot be read is logged and passed over until the next time.
 */
export async function keepUnread(
  deps: SerialsDeps & { readonly clock: () => Date; readonly log: Pick<Logger, 'warn'> },
): Promise<number> {
  const { db, clock, log } = deps;
  const untilMs = clock().getTime() + spentMsMax;
  let [count, failed, after] = [0, 0, ''];
  for (;;) {
    const unread = await listUnread(db, [after, batchSize]);
    for (const device of unread) {
      if (clock().getTime() >= untilMs) return count;
      try {
        await keepSerials(deps, device);
        [count, failed] = [count + 1, 0];
      } catch (err) {
        log.warn({ err, device_id: device.device_id }, 'the chain of a phone cannot be read');
        if (++failed >= failedMax) return count;
      }
      after = device.device_id;
    }
    if (unread.length < batchSize) return count;
  }
}
