import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryReport } from '../../../workflows/link-invitation/messages.ts';
import type { ReportedState } from '../../../workflows/link-invitation/state.ts';

/** What the provider says became of the mail that carries a link. */
export interface MailReport extends DeliveryReport {
  readonly link_uuid: string;
}

/** A request of the provider's signed event webhook, as its headers and bytes came. */
export interface SignedRequest {
  /** base64 of an ECDSA signature in DER. */
  readonly signature: string;
  /** Seconds since 1970, in decimal. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** The provider tries again for a day; what is older was taken, or given up. */
const ageMsMax = 25 * 3600_000;
const skewMsMax = 5 * 60_000;

/**
 * The key the provider shows for its event webhook: base64 of a SubjectPublicKeyInfo on P-256.
 * Throws where it is anything else.
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

/** What the provider did not send on, was refused and calls a bounce, or heard as a complaint. */
const states = {
  bounce: 'bounced',
  deferred: 'deferred',
  delivered: 'delivered',
  dropped: 'failed',
  spamreport: 'complained',
} as const satisfies Readonly<Record<string, ReportedState>>;
const event = z.object({
  event: z.enum(['bounce', 'deferred', 'delivered', 'dropped', 'spamreport']),
  /** Of a bounce: `blocked` where this mail was refused, not the address for good. */
  type: z.unknown().optional(),
  sg_event_id: z.string().min(1),
  /** What we name a message by, given back. */
  idempotency_key: z.string().regex(/^link-invite\/[A-Za-z0-9_-]{1,64}$/),
});

/**
 * What the events of a request say of emailed links. Left out are those of other mail, `processed`,
 * which the answer to the hand-over has said, `open` and `click`, which scanners and proxies make
 * too, and kinds not known here. Ids are hashed: the provider's are of any form. Throws where the
 * body is no JSON list.
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
