import type { Event } from './contracts.ts';

export type WebhookFault =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_wrong'
  | 'secret_invalid'
  | 'body_unreadable';

/** The message must not be processed; `code` gives the reason. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly code: WebhookFault;

  constructor(code: WebhookFault) {
    super(`the webhook is refused: ${code}`);
    this.code = code;
  }
}

export interface ReceivedWebhook {
  /** `whsec_…`; several during a secret rotation. */
  readonly secret: string | readonly string[];
  /** Headers as received from `fetch` or a Node server. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as received. JSON that was parsed and serialized again has another signature. */
  readonly body: string | Uint8Array;
  /**
   * Allowed difference between its time and the local time, to limit replays. Default: 5 minutes.
   */
  readonly toleranceMs?: number;
  readonly nowMs?: number;
}

const usualToleranceMs = 5 * 60_000;
/** A rotation needs two. */
const signaturesMax = 10;

/**
 * Verifies a webhook (Standard Webhooks 1.0) and returns its event. The same event may arrive more
 * than once; detect repeats by `event_id`.
 * @throws WebhookRefused; respond with 400
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
      // Web Crypto compares in constant time.
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

/** Parses `v1,` and base64. Other versions belong to future schemes. */
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
