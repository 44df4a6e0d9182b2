import type { CodeDelivery } from '../../../domain/names.ts';
import { reasonOfTwilio, type SmsReason } from './reasons.ts';

/** A request of the provider's status callback, as it came. */
export interface SignedReport {
  /** The address as the provider was given it; what a proxy makes of it is not signed. */
  readonly url: string;
  /** `X-Twilio-Signature`. */
  readonly signature: string;
  readonly body: Uint8Array;
}

/** What the provider says became of a message. */
export interface SmsReport {
  readonly state: CodeDelivery;
  /** Why it did not arrive; null where it did, or is under way. */
  readonly reason: SmsReason | null;
}

/**
 * Whether whoever has the account's token signed this: HMAC over the address and every field of the
 * form. A field that comes twice is signed in no one way, and nothing signed has one.
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

/** The provider's states that say something new; before them it has the message, as we know. */
const states: Readonly<Record<string, CodeDelivery>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'undelivered',
  failed: 'failed',
  canceled: 'failed',
};

/** Reads the form of a report; null where it says nothing that is kept. */
export function readReport(body: Uint8Array): SmsReport | null {
  const form = new URLSearchParams(new TextDecoder().decode(body));
  const state = new Map(Object.entries(states)).get(form.get('MessageStatus') ?? '');
  if (!state) return null;
  const isFailure = state === 'undelivered' || state === 'failed';
  const code = Number(form.get('ErrorCode') ?? Number.NaN);
  return { state, reason: isFailure ? (reasonOfTwilio(code) ?? 'unknown') : null };
}
