import { endUnused } from '../../../activities/identity/recovery.ts';
import { transaction, type Db } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { listEndedRecoveries } from '../../../db/queries/recoveries.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

/** Expires recoveries that were not used in time, each in its own transaction. */
export function endedRecoveries(deps: SweepDeps & { readonly db: Db; readonly ids: Ids }): Outbox {
  return sweep(deps, async (now, lengthMax) => {
    const ended = await listEndedRecoveries(deps.db, now, lengthMax);
    for (const id of ended) {
      await transaction(deps.db, (tx) => endUnused(tx, { ids: deps.ids, now }, id));
    }
    return ended.length;
  });
}
