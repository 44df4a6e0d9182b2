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
 * Starts the workflow of every affidavit that has been planned. A relay does this rather than the
 * check: a child workflow costs two actions and five events of its budget, and a start by one of
 * its steps makes whoever handed in the last proof wait for it. A relay that dies between starting
 * and marking starts again, and the workflow's id makes that harmless.
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
 * Plans again what was given up: what lay there when this process started, since that is how an
 * operator hands in what was mended, and whatever has lain for a day. One that was given up just
 * now is left alone until its workflow has surely ended.
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
    // One that was given up ended as failed: it alone may run again.
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
