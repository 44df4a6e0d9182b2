import type { Client } from '@temporalio/client';
import type { Db } from '../../../db/client.ts';
import { listJudging, type JudgingCheck } from '../../../db/queries/orphaned-checks.ts';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../workflows/trust-check/messages.ts';
import { processingOf } from '../../../workflows/trust-check/processing.ts';
import type { Outbox } from '../relay.ts';
import { startEach, type StartEachDeps } from '../start-each.ts';

/**
 * Reminds workflows of the submissions that a caller was told are processing: the update of the
 * call is lost where no worker had taken it and the workflow server is started again. The update of
 * a submission has its id, so a workflow that judges it already is not asked twice.
 */
export function unjudgedSubmissions(
  deps: StartEachDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  return {
    channel: null,
    countedAs: 'submissions',
    drain: async (signal) => {
      let after = '';
      const judging = {
        async list(limit: number): Promise<readonly JudgingCheck[]> {
          const checks = await listJudging(deps.db, { after, limit });
          after = checks.at(-1)?.link_session_id ?? after;
          return checks;
        },
        idOf: ({ link_session_id }: JudgingCheck) => link_session_id,
        start: (check: JudgingCheck) => remind(deps.client, check),
        // The judgement itself takes a check off the list.
        mark: () => Promise.resolve(),
      };
      await startEach(judging, deps, signal);
    },
  };
}

async function remind(client: Client, check: JudgingCheck): Promise<void> {
  const workflow = client.workflow.getHandle(trustCheckWorkflowId(check.link_session_id));
  for (const { type: proof } of check.proofs) {
    const submissionId = processingOf(check, proof);
    if (submissionId === null) continue;
    await workflow.startUpdate(submitProofUpdate, {
      args: [{ proof, submission_id: submissionId }],
      updateId: submissionId,
      waitForStage: 'ACCEPTED',
    });
  }
}
