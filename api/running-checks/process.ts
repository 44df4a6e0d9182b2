import { columnsOf, eventsOf, sessionOf } from '../../activities/trust-checks/step-row.ts';
import { transaction } from '../../db/client.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { lockTrustCheck, writeStep, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { SubmitProofArgs } from '../../workflows/trust-check/messages.ts';
import { afterStep, hasTaken, refusalOf } from '../../workflows/trust-check/steps.ts';
import type { ChangeDeps } from './change.ts';

/**
 * Sets a proof to `processing` when its judgment takes longer than the call waits. The sweep
 * `unjudgedSubmissions` sends the update to the workflow again. The API takes this step itself,
 * because no worker may be running. Returns the row, unchanged if the submission is already judged.
 * See docs/decisions/001-row-is-the-truth.md.
 */
export function markProcessing(
  { db, ids, clock }: Pick<ChangeDeps, 'db' | 'ids' | 'clock'>,
  linkSessionId: string,
  args: SubmitProofArgs,
): Promise<TrustCheckRow> {
  const stepId = `process/${args.submission_id}`;
  const step = { kind: 'process', ...args } as const;
  return transaction(db, async (tx) => {
    const before = await lockTrustCheck(tx, linkSessionId);
    if (!before) throw new Failure('not_found');
    if (hasTaken(before, stepId) || hasTaken(before, args.submission_id)) return before;
    const session = sessionOf(before);
    const refusal = refusalOf(session, step);
    if (refusal) throw new Failure(refusal.code, { detail: refusal.detail });
    const now = clock();
    const after = afterStep(session, step, stepId, now.getTime());
    const row = { ...before, ...columnsOf(after) };
    const events = after.log.slice(before.log.length).flatMap((entry) => eventsOf(entry, row));
    await Promise.all([writeStep(tx, row), appendEvents(tx, { ids, now }, events)]);
    return row;
  });
}
