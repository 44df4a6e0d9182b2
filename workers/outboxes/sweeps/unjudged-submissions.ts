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
 * Sends the updates of submissions in `processing` again. An update is lost if the workflow server
 * is started again before a worker has taken it. The id of the update is that of the submission, so
 * the workflow judges it once.
 */
export function unjudgedSubmissions(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  // Kept over rounds: checks that get no answer do not hold up those behind them.
  let after = '';
  const judging = {
    async list(limit: number): Promise<readonly JudgingCheck[]> {
      const checks = await listJudging(deps.db, { after, limit });
      after = checks.length < limit ? '' : (checks.at(-1)?.link_session_id ?? '');
      return checks;
    },
    idOf: ({ link_session_id }: JudgingCheck) => link_session_id,
    start: (check: JudgingCheck) => remind(deps, check),
    // The judgement itself takes a check off the list.
    mark: () => Promise.resolve(),
  };
  return {
    channel: null,
    countedAs: 'submissions',
    drain: (signal) => dispatchOutbox(judging, deps, signal),
  };
}

/** A judge that does not answer is given up after ten minutes: the update has ended by then. */
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
    // An update that ended without a judgement is never run again under its id.
    const round = Math.floor((now - Date.parse(at)) / judgedMsMax);
    await workflow.startUpdate(submitProofUpdate, {
      args: [{ proof, submission_id }],
      updateId: round > 0 ? `${submission_id}/${round}` : submission_id,
      waitForStage: 'ACCEPTED',
    });
  }
}
