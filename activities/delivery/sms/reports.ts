import type { CodeDelivery } from '../../../domain/names.ts';
import { reasonOfTwilio, type SmsReason } from './reasons.ts';

/** A request of the provider's status callback. */
export interface SignedReport {
  /**
   * The callback URL as we gave it to the provider. It signs this URL, not one rewritten by a
   * proxy.
   */
  readonly url: string;
  /** `X-Twilio-Signature`. */
  readonly signature: string;
  readonly body: Uint8Array;
}

/** A delivery report of the provider. */
export interface SmsReport {
  readonly state: CodeDelivery;
  /** Why the message did not arrive; null if it did, or is on its way. */
  readonly reason: SmsReason | null;
}

/**
 * Whether the report is signed with the account's token: HMAC over the URL and every form field.
 * Rejects repeated fields, since the signature does not define them and real reports have none.
 */
export async function isSignedReport(
  authToken: string,
  { url, signature, body }: SignedReport,
): Promise<boolean> {
  const fields = [...new URLSearchParams(new TextDecoder().decode(body))];
  const form = Object.fromEntries(fields);
  if (Object.keys(form).length !== fields.length) return false;
  const { validateRequest } = await import('twilio/lib/webhooks/webhooks.js');
  return validateRequest(authToken, signature, url, form);
}

/**
 * Delivery states by the provider's names. Earlier states carry no news: the provider has the
 * message.
 */
const states: Readonly<Record<string, CodeDelivery>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
  canceled: 'failed',
};

/** Reads a report. Returns null if its state is not stored. */
export function readReport(body: Uint8Array): SmsReport | null {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const state = new Map(Object.entries(states)).get(form.get('MessageStatus') ?? '');
  if (!state) return null;
  const isFailure = state === 'undelivered' || state === 'failed';
  const code = Number(form.get('ErrorCode') ?? Number.NaN);
  return { state, reason: isFailure ? (reasonOfTwilio(code) ?? 'unknown') : null };
}
