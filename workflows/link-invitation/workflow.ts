import { condition, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { proxyInvitation } from '../proxies.ts';

const { sendInvitation, recordDelivery } = proxyInvitation();

export interface LinkInvitationInput {
  readonly link_uuid: string;
  /** How long the provider's word on the delivery is waited for. */
  readonly deliveryWaitMs: number;
}

/** What the mail provider said about the message later on. */
export interface DeliveryReport {
  readonly status: 'delivered' | 'bounced' | 'failed';
  readonly event_id: string;
}

export const deliverySignal = defineSignal<[DeliveryReport]>('delivery');

/** The id of the workflow that mails a link. */
export const linkInvitationWorkflowId = (linkUuid: string): string => `link-invite/${linkUuid}`;

/** Mails a link to its recipient and follows the delivery until the provider has had its say. */
export async function linkInvitation(input: LinkInvitationInput): Promise<{ status: string }> {
  const reports: DeliveryReport[] = [];
  setHandler(deliverySignal, (report) => {
    if (!reports.some((known) => known.event_id === report.event_id)) reports.push(report);
  });
  setCurrentDetails('**queued**');
  const sent = await sendInvitation({ link_uuid: input.link_uuid });
  setCurrentDetails(`**${sent.status}**`);
  if (sent.status !== 'sent') return { status: sent.status };
  const isTold = await condition(() => reports.length > 0, input.deliveryWaitMs, {
    summary: "the provider's delivery report",
  });
  const last = reports.at(-1);
  if (!isTold || !last) return { status: 'sent' };
  await recordDelivery({ link_uuid: input.link_uuid, status: last.status });
  setCurrentDetails(`**${last.status}**`);
  return { status: last.status };
}
