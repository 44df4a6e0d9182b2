import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { TrustCheckActivityDeps } from '../activities/trust-checks/activities.ts';
import { affidavitWorkflowId } from '../workflows/issue-affidavit/messages.ts';
import { accountIdKey, flowKindKey } from '../workflows/search-attributes.ts';
import { taskQueues } from '../workflows/task-queues.ts';

/**
 * Starts the workflow of an affidavit. A step of the check does this rather than a child workflow:
 * a child costs two actions and five events of the check's budget, and its id is unique either way.
 */
export function createAffidavitStarter(client: Client): TrustCheckActivityDeps['startAffidavit'] {
  return async (input) => {
    try {
      await client.workflow.start('issueAffidavit', {
        workflowId: affidavitWorkflowId(input.affidavit_id),
        taskQueue: taskQueues.core,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [input],
        staticSummary: `Affidavit of ${input.link_session_id}, account ${input.account_id}`,
        typedSearchAttributes: [
          { key: flowKindKey, value: 'issueAffidavit' },
          { key: accountIdKey, value: String(input.account_id) },
        ],
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
