import { Webhook } from 'standardwebhooks';
import { request, type Agent } from 'undici';
import { firstOf, statement, type Db } from '../../../db/client.ts';
import { eventObject } from '../../../db/queries/event-object.ts';
import type { EventRow } from '../../../db/queries/events.ts';
import type { EventSample, webhookEndpoints } from '../../../db/schema/events.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { deadline, throwIfCanceled } from '../../runtime/cancellation.ts';
import { measures } from '../../runtime/measures.ts';
import type { Places } from '../../runtime/places.ts';
import { assertAllowedUrl } from '../../vendors/guard.ts';
import { createGuardedAgent } from '../../vendors/guarded-agent.ts';
import { retryAfterSecondsOf } from '../../vendors/provider.ts';
import { secretContext } from './secret-context.ts';

export type EndpointRow = typeof webhookEndpoints.$inferSelect;

export interface DeliverDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly clock: () => Date;
  /** Whether loopback and private addresses are allowed; only in development. */
  readonly allowPrivate: boolean;
  /** Places for concurrent attempts, so that silent receivers do not block other work. */
  readonly places: Places;
  /** Milliseconds for one attempt, including the response; 20,000 by default. */
  readonly attemptMsMax?: number;
}

export type DeliveryAttempt =
  | { readonly status: 'delivered' | 'failed' | 'canceled'; readonly retryAfterMs: 0 }
  | { readonly status: 'retry'; readonly retryAfterMs: number };

const silenceMsMax = 15_000;
// Less than the 30 seconds of the activity, so that one attempt ends before the next starts.
const attemptMsMax = 20_000;
const responseBytesMax = 1024;
const retryAfterMsMax = 24 * 3600_000;

interface DeliveryRow {
  readonly delivery_id: string;
  readonly status: string;
  readonly endpoint: EndpointRow & { secret_sealed: string; previous_secret_sealed: string | null };
  readonly event:
    | (Omit<EventRow, 'created_at' | 'reference_sealed'> & {
        readonly created_at: string;
        readonly reference_sealed: string | null;
      })
    | null;
  readonly event_id: string;
  readonly created_at: Date;
  /** Sample event that is sent to test the endpoint, instead of an event. */
  readonly sample: EventSample | null;
}

const find = statement<DeliveryRow>(
  'webhooks.delivery',
  `SELECT d.delivery_id, d.status, d.event_id, d.created_at, d.sample, to_jsonb(w.*) AS endpoint,
     to_jsonb(e.*) AS event
   FROM webhook_deliveries d JOIN webhook_endpoints w USING (endpoint_id)
   LEFT JOIN events e USING (event_id) WHERE d.delivery_id = :deliveryId`,
);
const record = statement(
  'webhooks.attempt',
  `INSERT INTO webhook_attempts
     (delivery_id, attempt, status, error, latency_ms, response_start, at)
   VALUES (:deliveryId, :attempt, :status, :error, :latency_ms, :responseStart, :at)
   ON CONFLICT (delivery_id, attempt) DO UPDATE
     SET status = :status, error = :error, latency_ms = :latency_ms,
     response_start = :responseStart, at = :at`,
);
const close = statement(
  'webhooks.close',
  `UPDATE webhook_deliveries
   SET status = :status::webhook_delivery_status, finished_at = :finished_at
   WHERE delivery_id = :deliveryId`,
);
const disable = statement(
  'webhooks.disable',
  `UPDATE webhook_endpoints
   SET status = 'disabled', disabled_reason = :disabled_reason, updated_at = :updated_at
   WHERE endpoint_id = :endpoint_id AND status = 'enabled'`,
);

/**
 * Makes one attempt (Standard Webhooks 1.0): 2xx delivers, 410 disables the endpoint, and anything
 * else is retried, not before its Retry-After.
 */
export async function deliver(
  deps: DeliverDeps,
  deliveryId: string,
  attempt: number,
): Promise<DeliveryAttempt> {
  const row = firstOf(await find(deps.db, { deliveryId }));
  const made = await attemptAt(deps, row, deliveryId, attempt);
  const { status: result } = made;
  const isDelivered = row !== null && result === 'delivered';
  const lagMs = isDelivered ? deps.clock().getTime() - row.created_at.getTime() : null;
  measures.delivery.tell({ result, lagSeconds: lagMs === null ? null : Math.max(0, lagMs) / 1000 });
  return made;
}

async function attemptAt(
  deps: DeliverDeps,
  row: DeliveryRow | null,
  deliveryId: string,
  attempt: number,
): Promise<DeliveryAttempt> {
  if (!row || row.endpoint.status !== 'enabled') {
    await closeDelivery(deps, deliveryId, 'canceled');
    return { status: 'canceled', retryAfterMs: 0 };
  }
  const leave = deps.places.take(row.endpoint.account_id);
  const started = performance.now();
  const outcome = await post(deps, row).finally(leave);
  await record(deps.db, {
    deliveryId,
    attempt,
    status: outcome.status,
    error: outcome.error,
    latency_ms: Math.round(performance.now() - started),
    responseStart: outcome.responseStart,
    at: deps.clock(),
  });
  if (outcome.status !== null && outcome.status >= 200 && outcome.status < 300) {
    await closeDelivery(deps, deliveryId, 'delivered');
    return { status: 'delivered', retryAfterMs: 0 };
  }
  if (outcome.status === 410) {
    await disable(deps.db, {
      endpoint_id: row.endpoint.endpoint_id,
      disabled_reason: 'gone',
      updated_at: deps.clock(),
    });
    await closeDelivery(deps, deliveryId, 'failed');
    return { status: 'failed', retryAfterMs: 0 };
  }
  return { status: 'retry', retryAfterMs: outcome.retryAfterMs };
}

/** Records the final status of a delivery. */
export async function closeDelivery(
  deps: Pick<DeliverDeps, 'db' | 'clock'>,
  deliveryId: string,
  status: 'delivered' | 'failed' | 'canceled',
): Promise<void> {
  await close(deps.db, { deliveryId, status, finished_at: deps.clock() });
}

interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
  readonly responseStart: string | null;
  readonly retryAfterMs: number;
}

async function post(deps: DeliverDeps, row: DeliveryRow): Promise<Outcome> {
  const body = JSON.stringify(await bodyOf(deps, row));
  const agent: Agent = createGuardedAgent(deps.allowPrivate);
  try {
    assertAllowedUrl(row.endpoint.url, deps.allowPrivate);
    const response = await request(row.endpoint.url, {
      method: 'POST',
      dispatcher: agent,
      headersTimeout: silenceMsMax,
      bodyTimeout: silenceMsMax,
      // A timeout on silence would never end a response that comes byte by byte.
      signal: deadline(deps.attemptMsMax ?? attemptMsMax),
      headers: await headersFor(deps, row, body),
      body,
    });
    return {
      status: response.statusCode,
      error: null,
      responseStart: await startOf(response.body),
      retryAfterMs: retryAfterMsOf(response.headers, deps.clock()),
    };
  } catch (error) {
    // A cancellation is not the receiver's fault: the attempt is repeated and not recorded.
    throwIfCanceled();
    return { status: null, error: nameOf(error), responseStart: null, retryAfterMs: 0 };
  } finally {
    await agent.destroy();
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error.name === 'TimeoutError') return 'ATTEMPT_TIMEOUT';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // The HTTP client sets no code for some faults of a response.
  return error.name === 'HTTPParserError' ? 'ANSWER_UNREADABLE' : 'failed';
}

async function bodyOf({ sealer }: DeliverDeps, { event, sample }: DeliveryRow): Promise<object> {
  if (sample) return sample;
  if (!event) throw new Error('the event of a delivery does not exist');
  const { created_at, reference_sealed: sealed } = event;
  return eventObject(sealer, {
    ...event,
    created_at: new Date(created_at),
    reference_sealed: sealed === null ? null : bytesOf(sealed),
  });
}

/** Every attempt sends the event's id as message id, so the receiver can drop duplicates. */
async function headersFor(
  deps: DeliverDeps,
  row: DeliveryRow,
  body: string,
): Promise<Record<string, string>> {
  const now = deps.clock();
  const signatures: string[] = [];
  for (const secret of await secretsOf(deps, row.endpoint, now)) {
    signatures.push(new Webhook(secret).sign(row.event_id, now, body));
  }
  return {
    'content-type': 'application/json',
    'user-agent': 'trustcheck-webhooks/1',
    'webhook-id': row.event_id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Returns the secret, and for 24 hours after a rotation also the previous one. */
async function secretsOf(
  deps: DeliverDeps,
  endpoint: DeliveryRow['endpoint'],
  now: Date,
): Promise<string[]> {
  const owner = accountOwner(endpoint.account_id);
  const context = secretContext(endpoint.endpoint_id);
  const open = async (sealed: string): Promise<string> =>
    (await deps.sealer.open(owner, context, bytesOf(sealed))).toString();
  const secrets = [await open(endpoint.secret_sealed)];
  const until = endpoint.previous_secret_expires_at;
  if (endpoint.previous_secret_sealed && until && new Date(until) > now) {
    secrets.push(await open(endpoint.previous_secret_sealed));
  }
  return secrets;
}

/** Decodes a bytea column that was read as JSON. */
const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= responseBytesMax) break;
  }
  const text = Buffer.concat(parts).subarray(0, responseBytesMax).toString('utf8');
  return text.replaceAll('\u0000', '');
}

/** Returns the receiver's Retry-After in milliseconds, one day at most. */
function retryAfterMsOf(headers: Readonly<Record<string, unknown>>, now: Date): number {
  const ms = Math.ceil(retryAfterSecondsOf(headers, now)) * 1000;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), retryAfterMsMax) : 0;
}
