import type { UninvitedLink } from '../../db/queries/links.ts';
import { linkInvitationWorkflowId } from '../../workflows/link-invitation/messages.ts';
import * as attributes from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { fairnessKeyOf } from '../delivery/mail/fairness-key.ts';

const deliveryWaitMs = 3 * 24 * 3600_000;

/**
 * Returns the start options of the workflow that mails a link. A running one is used. One that has
 * ended can run again, since it ends without a mail if the mail was withdrawn. A mailed link is not
 * mailed again, because its row has the status.
 */
export function startOfInvitation({ link_uuid, account_id, app_id }: UninvitedLink) {
  return {
    workflowId: linkInvitationWorkflowId(link_uuid),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    args: [{ link_uuid, deliveryWaitMs }],
    priority: { fairnessKey: fairnessKeyOf('account', String(account_id)) },
    staticSummary: `Invitation by mail, account ${account_id}`,
    typedSearchAttributes: [
      { key: attributes.flowKindKey, value: 'linkInvitation' },
      { key: attributes.accountIdKey, value: String(account_id) },
      { key: attributes.appIdKey, value: app_id },
      { key: attributes.linkUuidKey, value: link_uuid },
    ],
  };
}
