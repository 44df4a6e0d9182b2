import type { Client } from '@temporalio/client';
import { continuing } from '../../../activities/runtime/tracing.ts';
import type { Db } from '../../../db/client.ts';
import {
  affidavitsChannel,
  listPendingAffidavits,
  markAffidavitStarted,
  planFailedAgain,
  type PendingAffidavit,
} from '../../../db/queries/affidavits.ts';
import { affidavitWorkflowId } from '../../../workflows/issue-affidavit/messages.ts';
import {
  accountIdKey,
  appIdKey,
  flowKindKey,
  linkUuidKey,
} from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

const restMsOfFailed = 24 * 3600_000;
const settledMs = 60_000;

/**
 * Starts the workflow of every planned affidavit. The workflow of the check does not start it: a
 * child workflow costs two actions and five events, and a start in one of its steps would delay the
 * last submission. A relay that dies between start and mark starts again, which is harmless because
 * of the workflow's id.
 */
export function plannedAffidavits(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const planFailed = retryOfFailed(deps);
  const planned = {
    list: (lengthMax: number, without: readonly string[]) =>
      listPendingAffidavits(deps.db, { limit: lengthMax, without }),
    idOf: ({ affidavit_id }: PendingAffidavit) => affidavit_id,
    start: (affidavit: PendingAffidavit) =>
      continuing(affidavit.traceparent, () => start(deps.client, affidavit)),
    mark: ({ affidavit_id }: PendingAffidavit) => markAffidavitStarted(deps.db, [affidavit_id]),
  };
  return {
    channel: affidavitsChannel,
    countedAs: 'affidavits',
    drain: async (signal) => {
      await planFailed();
      await dispatchOutbox(planned, deps, signal);
    },
  };
}

/**
 * Returns a function that plans failed affidavits again: those that had failed before this process
 * started, since an operator restarts it after a repair, and those that failed a day ago. An
 * affidavit that failed within the last minute is skipped, since its workflow may not have ended.
 */
function retryOfFailed({ db, clock }: { readonly db: Db; readonly clock: () => Date }) {
  const startedAt = clock().getTime();
  let nextAt = 0;
  return async (): Promise<void> => {
    const now = clock().getTime();
    if (now < nextAt) return;
    const until = Math.max(now - restMsOfFailed, Math.min(startedAt, now - settledMs));
    await planFailedAgain(db, new Date(until));
    nextAt = now + settledMs;
  };
}

async function start(client: Client, affidavit: PendingAffidavit): Promise<void> {
  const { affidavit_id, link_session_id, account_id } = affidavit;
  await client.workflow.start('issueAffidavit', {
    workflowId: affidavitWorkflowId(affidavit_id),
    taskQueue: taskQueues.core,
    // An affidavit that was given up ended as failed. Only such a workflow may run again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    args: [{ affidavit_id, link_session_id, account_id }],
    staticSummary: `Affidavit of ${link_session_id}, account ${account_id}`,
    typedSearchAttributes: [
      { key: flowKindKey, value: 'issueAffidavit' },
      { key: accountIdKey, value: String(account_id) },
      { key: appIdKey, value: affidavit.app_id },
      { key: linkUuidKey, value: affidavit.link_uuid },
    ],
  });
}
