import { condition, isCancellation, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { proxyInvitation } from '../proxies.ts';
import { deliverySignal, type DeliveryReport, type LinkInvitationInput } from './messages.ts';

const { sendInvitation, recordDelivery } = proxyInvitation();

/**
 * Mails a link to its recipient and follows the delivery until the provider has had its say. What
 * could not be handed over in the time there is ends as `failed`, never as queued for ever.
 */
export async function linkInvitation(input: LinkInvitationInput): Promise<{ status: string }> {
  const reports: DeliveryReport[] = [];
  setHandler(deliverySignal, (report) => {
    if (!reports.some((known) => known.event_id === report.event_id)) reports.push(report);
  });
  setCurrentDetails('**queued**: the message is handed to the mail provider');
  const sent = await sendInvitation({ link_uuid: input.link_uuid }).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return null;
  });
  if (!sent) {
    // No attempt was answered. One may have arrived all the same: then the provider's word counts.
    const status = reports.at(-1)?.status ?? 'failed';
    await recordDelivery({ link_uuid: input.link_uuid, status });
    setCurrentDetails(`**${status}**: the provider was away for as long as it was tried`);
    return { status };
  }
  if (sent.status !== 'sent') {
    setCurrentDetails(`**${sent.status}**: the message was not taken`);
    return { status: sent.status };
  }
  const until = new Date(Date.now() + input.deliveryWaitMs).toISOString();
  setCurrentDetails(`**sent**: the provider's word on the delivery is awaited until ${until}`);
  const isTold = await condition(() => reports.length > 0, input.deliveryWaitMs, {
    summary: "the provider's delivery report",
  });
  const last = reports.at(-1);
  if (!isTold || !last) return { status: 'sent' };
  await recordDelivery({ link_uuid: input.link_uuid, status: last.status });
  setCurrentDetails(`**${last.status}**`);
  return { status: last.status };
}
