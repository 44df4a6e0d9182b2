import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/client.ts';
import { listJudging, type JudgingCheck } from '../../../db/queries/orphaned-checks.ts';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../workflows/trust-check/messages.ts';
import { processingEntryOf } from '../../../workflows/trust-check/processing.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/**
 * Sends the updates of submissions in `processing` again. An update is lost if the Temporal server
 * restarts before a worker has taken it. The submission's id is the update's id, so the workflow
 * judges it once.
 */
export function unjudgedSubmissions(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  // The cursor stays over rounds, so that checks without an answer do not block those after them.
  let after = '';
  const judging = {
    async list(limit: number): Promise<readonly JudgingCheck[]> {
      const checks = await listJudging(deps.db, { after, limit });
      after = checks.length < limit ? '' : (checks.at(-1)?.link_session_id ?? '');
      return checks;
    },
    idOf: ({ link_session_id }: JudgingCheck) => link_session_id,
    start: (check: JudgingCheck) => remind(deps, check),
    // The judgement itself removes a check from the list.
    mark: () => Promise.resolve(),
  };
  return {
    channel: null,
    countedAs: 'submissions',
    drain: (signal) => dispatchOutbox(judging, deps, signal),
  };
}

/** A judge gives up after ten minutes, so the update has ended by then. */
const judgedMsMax = 15 * 60_000;

async function remind(
  { client, clock }: DispatchDeps & { readonly client: Client },
  check: JudgingCheck,
): Promise<void> {
  const workflow = client.workflow.getHandle(trustCheckWorkflowId(check.link_session_id));
  const now = clock().getTime();
  for (const { type: proof } of check.proofs) {
    const entry = processingEntryOf(check, proof);
    if (!entry?.submission_id) continue;
    const { submission_id, at } = entry;
    // An update that ended without a judgement never runs again under its id.
    const round = Math.floor((now - Date.parse(at)) / judgedMsMax);
    await workflow.startUpdate(submitProofUpdate, {
      args: [{ proof, submission_id }],
      updateId: round > 0 ? `${submission_id}/${round}` : submission_id,
      waitForStage: 'ACCEPTED',
    });
  }
}
