import { transaction } from '../../db/client.ts';
import { failAffidavit as writeFailure } from '../../db/queries/affidavits.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { sessionEvent } from '../../db/queries/session-event.ts';
import type { AffidavitFault } from '../../workflows/affidavit-faults.ts';
import type { AffidavitDeps } from './activities.ts';

/**
 * Marks an affidavit as failed. Appends the event `affidavit.failed` once, counts the failure, and
 * logs it for the operator.
 */
export async function failAffidavit(
  deps: Pick<AffidavitDeps, 'db' | 'ids' | 'clock' | 'log' | 'countFailure'>,
  affidavitId: string,
  reason: AffidavitFault,
): Promise<void> {
  const now = deps.clock();
  await transaction(deps.db, async (tx) => {
    const session = await writeFailure(tx, affidavitId, reason, now);
    if (!session) return;
    await appendEvents(tx, { ids: deps.ids, now }, [sessionEvent(session, 'affidavit.failed')]);
  });
  deps.countFailure(reason);
  deps.log.error({ affidavit_id: affidavitId, reason_code: reason }, 'an affidavit was given up');
}
