import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Db } from '../db/client.ts';
import {
  affidavitsChannel,
  listPendingAffidavits,
  markAffidavitStarted,
  type PendingAffidavit,
} from '../db/queries/affidavits.ts';
import { affidavitWorkflowId } from '../workflows/issue-affidavit/messages.ts';
import { accountIdKey, flowKindKey } from '../workflows/search-attributes.ts';
import { taskQueues } from '../workflows/task-queues.ts';
import type { Outbox } from './relay.ts';

const batchSize = 100;

/**
 * Starts the workflow of every affidavit that has been planned. A relay does this rather than the
 * check: a child workflow costs two actions and five events of its budget, and a start by one of
 * its steps makes whoever handed in the last proof wait for it. A relay that dies between starting
 * and marking starts again, and the workflow's id makes that harmless.
 */
export function plannedAffidavits(deps: { db: Db; client: Client }): Outbox {
  return {
    channel: affidavitsChannel,
    drain: async () => {
      for (;;) {
        const pending = await listPendingAffidavits(deps.db, [batchSize]);
        for (const affidavit of pending) {
          await start(deps.client, affidavit);
          await markAffidavitStarted(deps.db, [affidavit.affidavit_id]);
        }
        if (pending.length < batchSize) return;
      }
    },
  };
}

async function start(client: Client, affidavit: PendingAffidavit): Promise<void> {
  const { affidavit_id, link_session_id, account_id } = affidavit;
  try {
    await client.workflow.start('issueAffidavit', {
      workflowId: affidavitWorkflowId(affidavit_id),
      taskQueue: taskQueues.core,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [{ affidavit_id, link_session_id, account_id }],
      staticSummary: `Affidavit of ${link_session_id}, account ${account_id}`,
      typedSearchAttributes: [
        { key: flowKindKey, value: 'issueAffidavit' },
        { key: accountIdKey, value: String(account_id) },
      ],
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
