import { setCurrentDetails, sleep } from '@temporalio/workflow';
import { proxyWebhook } from '../proxies.ts';
import type { WebhookDeliveryInput, WebhookDeliveryResult } from './messages.ts';

const { deliverWebhook, closeWebhookDelivery } = proxyWebhook();

/** Returns 100 % to 125 % of the delay, so that many deliveries do not return at the same time. */
const jitter = (delayMs: number): number => Math.round(delayMs * (1 + Math.random() * 0.25));

/**
 * Delivers one event to one endpoint. An answer outside 2xx, or none, is retried after the next
 * delay, or after the endpoint's Retry-After if that is longer. 410 disables the endpoint.
 */
export async function webhookDelivery(input: WebhookDeliveryInput): Promise<WebhookDeliveryResult> {
  const most = input.delaysMs.length;
  let askedMs = 0;
  for (const [index, delayMs] of input.delaysMs.entries()) {
    const waitMs = Math.max(jitter(delayMs), askedMs);
    if (waitMs > 0) {
      const at = new Date(Date.now() + waitMs).toISOString();
      setCurrentDetails(`**waiting** for attempt ${index + 1} of ${most}, at ${at}`);
      await sleep(waitMs, { summary: `before attempt ${index + 1} of ${most}` });
    }
    setCurrentDetails(`**sending**, attempt ${index + 1} of ${most}`);
    const result = await deliverWebhook({ delivery_id: input.delivery_id, attempt: index + 1 });
    if (result.status !== 'retry') {
      setCurrentDetails(`**${result.status}** at attempt ${index + 1} of ${most}`);
      return { status: result.status, attempts: index + 1 };
    }
    askedMs = result.retryAfterMs;
  }
  await closeWebhookDelivery({ delivery_id: input.delivery_id, status: 'failed' });
  setCurrentDetails(`**failed**: no attempt of ${most} was answered with success`);
  return { status: 'failed', attempts: most };
}
