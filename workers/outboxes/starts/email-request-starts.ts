import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { emailFlowOf, startOfEmailFlow } from '../../../activities/identity/email/start.ts';
import type { Db } from '../../../db/client.ts';
import {
  emailRequestsChannel,
  listUnsignaled,
  markRequestSignaled,
  type EmailRequestRow,
} from '../../../db/queries/email-requests.ts';
import { requestUpdate } from '../../../workflows/email-login/messages.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/**
 * Sends each mail request to the workflow of its address. The API only writes a row, so it takes
 * the same time for every address. A repeated row is the same update, because of its id.
 */
export function emailRequestStarts(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const unsignaled = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnsignaled(deps.db, { now: deps.clock(), limit: lengthMax, without }),
    idOf: ({ request_id }: EmailRequestRow) => request_id,
    start: (request: EmailRequestRow) =>
      deps.client.workflow.executeUpdateWithStart(requestUpdate, {
        startWorkflowOperation: new WithStartWorkflowOperation(
          emailFlowOf(request).type,
          startOfEmailFlow(request),
        ),
        args: [{ request_id: request.request_id }],
        updateId: request.request_id,
      }),
    mark: ({ request_id }: EmailRequestRow) =>
      markRequestSignaled(deps.db, request_id, deps.clock()),
  };
  return {
    channel: emailRequestsChannel,
    countedAs: 'emails',
    drain: (signal) => dispatchOutbox(unsignaled, deps, signal),
  };
}
