import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { noteDelivery, type NoteDeps } from '../../../activities/links/note-delivery.ts';
import {
  listMailReports,
  mailReportsChannel,
  markReported,
  type MailReportRow,
} from '../../../db/queries/mail-reports.ts';
import {
  deliverySignal,
  linkInvitationWorkflowId,
} from '../../../workflows/link-invitation/messages.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/**
 * Signals delivery reports of the mail provider to the workflow of the link. A repeated report
 * counts once. If the workflow has ended, the report is recorded on the link directly.
 */
export function mailReports(deps: DispatchDeps & NoteDeps & { readonly client: Client }): Outbox {
  const unsignaled = {
    list: (lengthMax: number, without: readonly string[]) =>
      listMailReports(deps.db, lengthMax, without),
    idOf: ({ event_id }: MailReportRow) => event_id,
    start: (report: MailReportRow) => forward(deps, report),
    mark: ({ event_id }: MailReportRow) => markReported(deps.db, event_id),
  };
  return {
    channel: mailReportsChannel,
    countedAs: 'mail_reports',
    drain: (signal) => dispatchOutbox(unsignaled, deps, signal),
  };
}

async function forward(
  deps: NoteDeps & { readonly client: Client },
  { event_id, link_uuid, status }: MailReportRow,
): Promise<void> {
  const workflow = deps.client.workflow.getHandle(linkInvitationWorkflowId(link_uuid));
  try {
    await workflow.signal(deliverySignal, { event_id, status });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    await noteDelivery(deps, link_uuid, { status });
  }
}
