import { condition, isCancellation, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { proxyInvitation } from '../proxies.ts';
import { deliverySignal, type LinkInvitationInput } from './messages.ts';
import { furthest, type DeliveryState, type ReportedState } from './state.ts';

const { sendInvitation, recordDelivery } = proxyInvitation();

/**
 * Mails a link to its recipient and follows the delivery until the provider has had its say. What
 * could not be handed over in the time there is ends as `failed`, never as queued for ever. What is
 * reported after the end is noted by whoever finds no workflow to tell.
 */
export async function linkInvitation(input: LinkInvitationInput): Promise<{ status: string }> {
  const reports: ReportedState[] = [];
  setHandler(deliverySignal, ({ status }) => void reports.push(status));
  setCurrentDetails('**queued**: the message is handed to the mail provider');
  const sent = await sendInvitation({ link_uuid: input.link_uuid }).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return null;
  });
  if (!sent) {
    // No attempt was answered. One may have arrived all the same: then the provider's word counts.
    const status = furthest(reports, 'sent') ?? 'failed';
    await recordDelivery({ link_uuid: input.link_uuid, status });
    setCurrentDetails(`**${status}**: the provider was away for as long as it was tried`);
    return { status };
  }
  if (sent.status !== 'sent') {
    setCurrentDetails(`**${sent.status}**: the message was not taken`);
    return { status: sent.status };
  }
  return { status: await follow(input, reports) };
}

/** Notes each report that says more than the last, up to one after which nothing is waited for. */
async function follow(
  { link_uuid, deliveryWaitMs }: LinkInvitationInput,
  reports: readonly ReportedState[],
): Promise<DeliveryState> {
  const untilMs = Date.now() + deliveryWaitMs;
  const until = new Date(untilMs).toISOString();
  setCurrentDetails(`**sent**: the provider's word on the delivery is awaited until ${until}`);
  let known: DeliveryState = 'sent';
  const next = (): ReportedState | null => furthest(reports, known);
  for (;;) {
    if (known === 'sent' || known === 'deferred') {
      await condition(() => next() !== null, Math.max(1, untilMs - Date.now()), {
        summary: "the provider's delivery report",
      });
    }
    const status = next();
    if (!status) return known;
    known = status;
    await recordDelivery({ link_uuid, status });
    setCurrentDetails(`**${status}**`);
  }
}
