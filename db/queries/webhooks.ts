import pg from 'pg';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, offset, prepare, total, without } from '../prepare.ts';
import { sql } from '../schema/drizzle.ts';
import { webhookDeliveries, type EventSample, type webhookEndpoints } from '../schema/events.ts';
import { deliveriesChannel } from './events.ts';

export type WebhookEndpointRow = typeof webhookEndpoints.$inferSelect;

const { endpoint_id } = webhookDeliveries;

const insert = statement<WebhookEndpointRow>(
  'webhook_endpoints.insert',
  `INSERT INTO webhook_endpoints (endpoint_id, account_id, app_id, url, types, description, status,
     secret_sealed, created_at, updated_at, livemode)
   VALUES (:endpoint_id, :account_id, :app_id, :url, :types, :description, 'enabled',
     :secret_sealed, :now, :now, :livemode)
   ON CONFLICT (endpoint_id) DO UPDATE SET endpoint_id = excluded.endpoint_id RETURNING *`,
);
const find = statement<WebhookEndpointRow>(
  'webhook_endpoints.find',
  `SELECT * FROM webhook_endpoints
   WHERE endpoint_id = :endpointId AND account_id = :accountId AND status <> 'removed'`,
);
const lock = statement<WebhookEndpointRow>(
  'webhook_endpoints.lock',
  `SELECT * FROM webhook_endpoints
   WHERE endpoint_id = :endpointId AND account_id = :accountId AND status <> 'removed' FOR UPDATE`,
);
const listOf = statement<WebhookEndpointRow>(
  'webhook_endpoints.list',
  `SELECT * FROM webhook_endpoints WHERE account_id = :accountId AND status <> 'removed'
     AND livemode = coalesce(:livemode, livemode)
   ORDER BY created_at LIMIT 1000`,
);
const update = statement<WebhookEndpointRow>(
  'webhook_endpoints.update',
  `UPDATE webhook_endpoints SET url = coalesce(:url, url), types = coalesce(:types::text[], types),
     description = CASE WHEN :isDescribed::bool THEN :description ELSE description END,
     status = coalesce(:status::endpoint_status, status),
     disabled_reason = CASE :status::text WHEN 'enabled' THEN NULL WHEN 'disabled' THEN 'by_request'
                       ELSE disabled_reason END,
     updated_at = :now
   WHERE endpoint_id = :endpointId AND status <> 'removed' RETURNING *`,
);
const remove = statement<WebhookEndpointRow>(
  'webhook_endpoints.remove',
  `UPDATE webhook_endpoints SET status = 'removed', disabled_reason = 'removed', updated_at = :now
   WHERE endpoint_id = :endpointId AND status <> 'removed' RETURNING *`,
);
const rotate = statement<WebhookEndpointRow>(
  'webhook_endpoints.rotate',
  `UPDATE webhook_endpoints SET previous_secret_sealed = secret_sealed,
     previous_secret_expires_at = :previousExpiresAt, secret_sealed = :to, updated_at = :now
   WHERE endpoint_id = :endpointId AND secret_sealed = :from AND status <> 'removed' RETURNING *`,
);

export interface NewEndpoint {
  readonly endpoint_id: string;
  readonly account_id: number;
  readonly app_id: string | null;
  readonly livemode: boolean;
  readonly url: string;
  readonly types: readonly string[];
  readonly description: string | null;
  readonly secret_sealed: Buffer;
  readonly now: Date;
}

export async function addEndpoint(on: Queryable, row: NewEndpoint): Promise<WebhookEndpointRow> {
  const added = firstOf(await insert(on, row));
  if (!added) throw new Error('an endpoint was not added');
  return added;
}

const countOthers = statement<{ count: number }>(
  'webhook_endpoints.count_others',
  `SELECT count(*)::int AS count FROM webhook_endpoints
   WHERE account_id = :account_id AND status <> 'removed' AND endpoint_id <> :endpoint_id`,
);

/**
 * Adds an endpoint, unless the account already has `max`; then returns null. The caller holds the
 * account's lock.
 */
export async function addEndpointWithin(
  tx: Tx,
  row: NewEndpoint,
  max: number,
): Promise<WebhookEndpointRow | null> {
  const [others] = await countOthers(tx, {
    account_id: row.account_id,
    endpoint_id: row.endpoint_id,
  });
  return (others?.count ?? 0) < max ? addEndpoint(tx, row) : null;
}

export async function findEndpoint(
  on: Queryable,
  endpointId: string,
  accountId: number,
): Promise<WebhookEndpointRow | null> {
  return firstOf(await find(on, { endpointId, accountId }));
}

/**
 * Returns an endpoint, locked until the transaction ends. A 410 response that disables it is
 * applied before or after.
 */
export async function lockEndpoint(
  tx: Tx,
  endpointId: string,
  accountId: number,
): Promise<WebhookEndpointRow | null> {
  return firstOf(await lock(tx, { endpointId, accountId }));
}

/** Returns the endpoints of one mode (null: of both), oldest first. */
export const listEndpoints = (on: Queryable, accountId: number, livemode: boolean | null) =>
  listOf(on, { accountId, livemode });

export interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  readonly status?: 'enabled' | 'disabled' | undefined;
}

/**
 * Changes only the given columns. A concurrent change of the description therefore does not undo a
 * disabling after a 410, or a removal. Returns null if the endpoint was removed.
 */
export async function updateEndpoint(
  on: Queryable,
  endpointId: string,
  { url, types, description, status }: EndpointChange,
  now: Date,
): Promise<WebhookEndpointRow | null> {
  const isDescribed = description !== undefined;
  return firstOf(
    await update(on, { endpointId, url, types, isDescribed, description, status, now }),
  );
}

/** Returns false if it is already removed. */
export async function removeEndpoint(
  on: Queryable,
  endpointId: string,
  now: Date,
): Promise<boolean> {
  return (await remove(on, { endpointId, now })).length > 0;
}

export interface SecretRotation {
  readonly endpointId: string;
  /** The sealed secret as it was read, to detect a concurrent rotation. */
  readonly from: Buffer;
  readonly to: Buffer;
  readonly previousExpiresAt: Date;
  readonly now: Date;
}

/** Returns null if the secret differs from the one that was read. */
export async function rotateSecret(
  on: Queryable,
  { endpointId, from, to, previousExpiresAt, now }: SecretRotation,
): Promise<WebhookEndpointRow | null> {
  return firstOf(await rotate(on, { endpointId, from, to, previousExpiresAt, now }));
}

export interface DeliveryListRow {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly replay: number;
  readonly status: string;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly attempts: {
    attempt: number;
    status: number | null;
    error: string | null;
    latency_ms: number;
    response_start: string | null;
    at: string;
  }[];
}

/** Lists deliveries of an endpoint, newest first, each with its attempts. */
export const listDeliveries = prepare(
  'webhook_deliveries.list',
  { endpoint_id, limit, offset },
  ({ by }) => sql<DeliveryListRow>`
     SELECT d.delivery_id, d.event_id, d.replay, d.status, d.created_at, d.finished_at,
       coalesce((SELECT jsonb_agg(to_jsonb(a) - 'delivery_id' ORDER BY a.attempt)
                 FROM webhook_attempts a WHERE a.delivery_id = d.delivery_id), '[]') AS attempts
     FROM webhook_deliveries d WHERE d.endpoint_id = ${by.endpoint_id}
     ORDER BY d.created_at DESC, d.delivery_id LIMIT ${by.limit} OFFSET ${by.offset}`,
);
const countOfEndpoint = prepare('webhook_deliveries.count', { endpoint_id }, ({ equals }) =>
  build.select({ total }).from(webhookDeliveries).where(equals.endpoint_id),
);

export async function countDeliveries(on: Queryable, endpointId: string): Promise<number> {
  return firstOf(await countOfEndpoint(on, { endpoint_id: endpointId }))?.total ?? 0;
}

const findDelivery = statement<{ status: string }>(
  'webhook_deliveries.find',
  `SELECT status FROM webhook_deliveries
   WHERE delivery_id = :deliveryId AND endpoint_id = :endpointId`,
);
const replay = statement<{ delivery_id: string }>(
  'webhook_deliveries.replay',
  `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, replay, sample, status,
       created_at)
     SELECT :replayId, d.endpoint_id, d.event_id,
       (SELECT max(r.replay) + 1 FROM webhook_deliveries r
        WHERE r.endpoint_id = d.endpoint_id AND r.event_id = d.event_id), d.sample, 'pending', :now
     FROM webhook_deliveries d
     WHERE d.delivery_id = :deliveryId AND d.endpoint_id = :endpointId
       AND d.status IN ('delivered', 'failed', 'canceled')
     ON CONFLICT (delivery_id) DO UPDATE SET delivery_id = excluded.delivery_id
     RETURNING delivery_id, pg_notify('${deliveriesChannel}', '')`,
);

/**
 * Queues a finished delivery again, once per new id. Returns `unknown` if the delivery is not of
 * this endpoint, `unfinished` while it runs. Concurrent replays of one event get different numbers.
 */
export async function replayDelivery(
  on: Queryable,
  row: { deliveryId: string; endpointId: string; replayId: string; now: Date },
): Promise<'queued' | 'unknown' | 'unfinished'> {
  const { deliveryId, endpointId, replayId, now } = row;
  const matches = await findDelivery(on, { deliveryId, endpointId });
  if (matches.length === 0) return 'unknown';
  for (;;) {
    try {
      const queued = await replay(on, { deliveryId, endpointId, replayId, now });
      return queued.length > 0 ? 'queued' : 'unfinished';
    } catch (error) {
      // A concurrent replay took the number. That replay succeeded, so the loop ends.
      if (!isTaken(error)) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.constraint === 'webhook_deliveries_replay';
}

const addSampleRow = statement<{ delivery_id: string }>(
  'webhook_deliveries.sample',
  `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, sample, status, created_at)
   VALUES (:deliveryId, :endpointId, :event_id, :sample::jsonb, 'pending', :now)
   ON CONFLICT DO NOTHING
   RETURNING delivery_id, pg_notify('${deliveriesChannel}', '')`,
);

/** Queues a fictional event for one endpoint, once per id. No other endpoint receives it. */
export async function addSample(
  on: Queryable,
  row: {
    deliveryId: string;
    endpointId: string;
    sample: EventSample & { readonly event_id: string };
    now: Date;
  },
): Promise<void> {
  const { deliveryId, endpointId, sample, now } = row;
  const { event_id } = sample;
  await addSampleRow(on, { deliveryId, endpointId, event_id, sample: JSON.stringify(sample), now });
}

export interface PendingDelivery {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly replay: number;
  readonly account_id: number;
  readonly traceparent: string | null;
}

/** Lists deliveries whose workflow is not started yet, except those in `without`, oldest first. */
export const listPending = prepare(
  'webhook_deliveries.pending',
  { limit, without },
  ({ by }) => sql<PendingDelivery>`
     SELECT d.delivery_id, d.endpoint_id, d.event_id, d.replay, d.traceparent, w.account_id
     FROM webhook_deliveries d JOIN webhook_endpoints w USING (endpoint_id)
     WHERE d.status = 'pending' AND d.delivery_id <> ALL (${by.without}::text[])
     ORDER BY d.created_at LIMIT ${by.limit}`,
);

export const markStarted = statement(
  'webhook_deliveries.started',
  `UPDATE webhook_deliveries SET status = 'delivering', started_at = $2
   WHERE delivery_id = $1 AND status = 'pending'`,
);
