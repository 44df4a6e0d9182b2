import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryReport } from '../../../workflows/link-invitation/messages.ts';
import type { ReportedState } from '../../../workflows/link-invitation/state.ts';

/** A delivery report of the provider on a link's mail. */
export interface MailReport extends DeliveryReport {
  readonly link_uuid: string;
}

/** A request of the provider's signed event webhook: its headers and raw body. */
export interface SignedRequest {
  /** ECDSA signature in DER, base64. */
  readonly signature: string;
  /** Seconds since 1970, in decimal. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** The provider retries for one day, so older requests are replays. */
const ageMsMax = 25 * 3600_000;
const skewMsMax = 5 * 60_000;

/**
 * Reads the provider's public key for its event webhook: SubjectPublicKeyInfo on P-256, base64.
 * @throws Error for any other text
 */
export function readReportKey(text: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('not a key on P-256');
  return key;
}

/** Whether the provider signed this: ECDSA with SHA-256 over the timestamp and the raw body. */
export function isSignedReport(
  key: KeyObject,
  { signature, timestamp, body }: SignedRequest,
  now: Date,
): boolean {
  if (!/^[0-9]{1,12}$/.test(timestamp) || !/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(signature)) {
    return false;
  }
  const ageMs = now.getTime() - Number(timestamp) * 1000;
  if (ageMs > ageMsMax || ageMs < -skewMsMax) return false;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return verify('sha256', signed, key, Buffer.from(signature, 'base64'));
}

/** Delivery states by the provider's event names. */
const states = {
  bounce: 'bounced',
  deferred: 'deferred',
  delivered: 'delivered',
  dropped: 'failed',
  spamreport: 'complained',
} as const satisfies Readonly<Record<string, ReportedState>>;
const event = z.object({
  event: z.enum(['bounce', 'deferred', 'delivered', 'dropped', 'spamreport']),
  /** For a bounce: `blocked` if only this mail was refused, not the address permanently. */
  type: z.unknown().optional(),
  sg_event_id: z.string().min(1),
  /** Our name of the message, returned by the provider. */
  idempotency_key: z.string().regex(/^link-invite\/[A-Za-z0-9_-]{1,64}$/),
});

/**
 * Reads the delivery reports on links from a request. Ignores events of other mail, `processed`
 * (the response to our request has said so), `open` and `click` (scanners and proxies cause them,
 * too) and unknown kinds. Hashes the event ids, since the provider's have no fixed form.
 * @throws SyntaxError if the body is not a JSON list
 */
export function readReports(body: Uint8Array): MailReport[] {
  const list: unknown = JSON.parse(new TextDecoder().decode(body));
  if (!Array.isArray(list)) throw new SyntaxError('not a list of events');
  const reports = list.flatMap((each): MailReport[] => {
    const { data } = event.safeParse(each);
    if (!data) return [];
    const isBlocked = data.event === 'bounce' && data.type === 'blocked';
    const status = isBlocked ? 'blocked' : states[data.event];
    const event_id = createHash('sha256').update(data.sg_event_id).digest('base64url');
    return [{ event_id, status, link_uuid: data.idempotency_key.slice('link-invite/'.length) }];
  });
  return reports;
}
