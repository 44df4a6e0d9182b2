import { condition, isCancellation, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { proxyInvitation } from '../proxies.ts';
import { deliverySignal, type LinkInvitationInput } from './messages.ts';
import { furthest, type DeliveryState, type ReportedState } from './state.ts';

const { sendInvitation, recordDelivery } = proxyInvitation();

/**
 * Mails a link to its recipient and follows the delivery until the provider's final report. A
 * message that could not be sent in time ends as `failed`. The caller that finds no running
 * workflow records later reports itself.
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
    // No attempt was answered, but one may have arrived: then the provider's report counts.
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

/** Records each report that advances the state, until a final one or the end of the wait. */
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
