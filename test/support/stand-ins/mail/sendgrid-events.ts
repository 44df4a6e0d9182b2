import { createECDH, createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** The provider's key, derived from a text, so that every process of a run has the same one. */
const pair = createECDH('prime256v1');
pair.setPrivateKey(createHash('sha256').update('the signed event webhook of a test').digest());
const point = pair.getPublicKey();
const privateKey = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    d: pair.getPrivateKey().toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  },
});

/** As the provider displays it: base64 of a SubjectPublicKeyInfo. */
export const eventKey = createPublicKey(privateKey)
  .export({ format: 'der', type: 'spki' })
  .toString('base64');

export interface EventsRequest {
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request of the event webhook: a list with each event on its own line, ended by CRLF. */
export function eventsRequest(events: unknown, at = new Date()): EventsRequest {
  const raw = Array.isArray(events)
    ? `[${events.map((event) => JSON.stringify(event)).join(',\r\n')}]\r\n`
    : String(events);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    raw,
    headers: {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-timestamp': timestamp,
      'x-twilio-email-event-webhook-signature': sign(
        'sha256',
        Buffer.from(timestamp + raw),
        privateKey,
      ).toString('base64'),
    },
  };
}

/**
 * An event on the mail of a link, with the other members that the provider sends. `blocked` is the
 * bounce of one mail, not of its address.
 */
export function mailEvent(kind: string, linkUuid: string, id: string): Record<string, unknown> {
  return {
    email: 'recipient@example.test',
    timestamp: Math.floor(Date.now() / 1000),
    'smtp-id': '<a@b.test>',
    event: kind === 'blocked' ? 'bounce' : kind,
    sg_event_id: id,
    sg_message_id: `${id}.filter0001`,
    idempotency_key: `link-invite/${linkUuid}`,
    ...(kind === 'bounce' ? { type: kind, reason: '550 no such user \u0000' } : {}),
    ...(kind === 'blocked' ? { type: kind, reason: '421 not from there' } : {}),
    ...(kind === 'deferred' ? { response: '450 later', attempt: '1' } : {}),
  };
}
