import {
  flowKindKey,
  linkUuidKey,
  accountIdKey,
  appIdKey,
} from '../../workflows/search-attributes.ts';
import { linkInvitationWorkflowId } from '../../workflows/link-invitation/messages.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { linkContracts } from './contract.ts';
import { createLink, type CreateDeps } from './create.ts';
import { etagOf, presentLink } from './present.ts';

const deliveryWaitMs = 3 * 24 * 3600_000;

/**
 * Makes a single-use link and starts the workflow that mails it. Should the workflow server be away
 * the caller gets a 503; the same Idempotency-Key then continues with the link that was made.
 */
export const send = handler(linkContracts.send)(async (
  input,
  deps: CreateDeps & Pick<Deps, 'temporal'>,
) => {
  const { send_to_email: email, recipient_name: name, reference_note: note } = input.body;
  const link = await createLink(deps, input.body, {
    appId: input.path.app_id,
    linkType: input.body.link_type,
    caller: input.caller,
    seed: input.seed,
    now: input.call.now,
    authorize: input.authorize,
    recipient: { email, ...(name ? { name } : {}), ...(note ? { note } : {}) },
  });
  await deps.temporal.start('linkInvitation', {
    workflowId: linkInvitationWorkflowId(link.link_uuid),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ link_uuid: link.link_uuid, deliveryWaitMs }],
    staticSummary: `Invitation by mail, account ${link.account_id}`,
    typedSearchAttributes: [
      { key: flowKindKey, value: 'linkInvitation' },
      { key: accountIdKey, value: String(link.account_id) },
      { key: appIdKey, value: link.app_id },
      { key: linkUuidKey, value: link.link_uuid },
    ],
  });
  return {
    status: 200,
    headers: { ETag: etagOf(link) },
    body: {
      ...presentLink(deps.settings.baseUrl, link, input.call.now),
      delivery: { status: link.delivery?.status ?? 'queued' },
    },
  };
});
