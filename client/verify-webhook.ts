import type { Event } from './contracts.ts';

export type WebhookFault =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_wrong'
  | 'secret_invalid'
  | 'body_unreadable';

/** What came is not to be acted on; `code` says why. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: WebhookFault;

  constructor(code: WebhookFault) {
    super(`the webhook is refused: ${code}`);
    this.code = code;
  }
}

export interface ReceivedWebhook {
  /** `whsec_…`; several where secrets are being changed. */
  readonly secret: string | readonly string[];
  /** As they came: of `fetch`, or of Node’s own server. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came: JSON that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** How far its time may lie from ours, 5 minutes unless told otherwise: bounds replays. */
  readonly toleranceMs?: number;
  readonly nowMs?: number;
}

const usualToleranceMs = 5 * 60_000;
/** During a rotation there are two. */
const signaturesMax = 10;

/**
 * The event of a webhook (Standard Webhooks 1.0). The same event may come more than once: drop what
 * was seen, by its `event_id`. Throws `WebhookRefused`; answer that with 400.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<Event> {
  const { secret, headers, body, toleranceMs = usualToleranceMs, nowMs = Date.now() } = received;
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headerOf(headers, name),
  );
  if (!id || !time || !signatures) throw new WebhookRefused('headers_missing');
  checkTime(time, nowMs, toleranceMs);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${time}.`), bytes);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const keys = await Promise.all(secrets.map(keyOf));
  const offered = signatures.split(' ').slice(0, signaturesMax).flatMap(bytesOfSignature);
  for (const key of keys) {
    for (const signature of offered) {
      // The comparison is the platform’s own, which takes the same time for all.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventOf(bytes);
    }
  }
  throw new WebhookRefused('signature_wrong');
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

function checkTime(text: string, nowMs: number, toleranceMs: number): void {
  if (!/^\d{1,12}$/.test(text)) throw new WebhookRefused('timestamp_invalid');
  const lateMs = nowMs - Number(text) * 1000;
  if (lateMs > toleranceMs) throw new WebhookRefused('timestamp_too_old');
  if (lateMs < -toleranceMs) throw new WebhookRefused('timestamp_too_new');
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

async function keyOf(secret: string) {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new WebhookRefused('secret_invalid');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

/** `v1,` and base64; other versions are those of schemes to come. */
function bytesOfSignature(text: string): Uint8Array<ArrayBuffer>[] {
  const bytes = text.startsWith('v1,') ? base64Bytes(text.slice(3)) : null;
  return bytes ? [bytes] : [];
}

function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function eventOf(bytes: Uint8Array): Event {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Event;
  } catch {
    throw new WebhookRefused('body_unreadable');
  }
}
