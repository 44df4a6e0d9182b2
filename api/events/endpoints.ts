import { createHash, createHmac } from 'node:crypto';
import { secretContext } from '../../activities/webhooks/deliver.ts';
import { transaction } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import * as queries from '../../db/queries/webhooks.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { enterAccount } from '../accounts/enter.ts';
import { checkTarget } from '../check-target.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { eventContracts } from './contract.ts';

type EndpointDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'settings' | 'outside'>;

const rotationMs = 24 * 3600_000;

/** An endpoint without its secret. One that was removed is shown to nobody. */
function present(row: queries.WebhookEndpointRow) {
  const { status } = row;
  if (status === 'removed') throw new Failure('not_found');
  return {
    endpoint_id: row.endpoint_id,
    account_id: row.account_id,
    app_id: row.app_id,
    url: row.url,
    types: row.types,
    description: row.description,
    status,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** An app of another account is as unknown as one that does not exist. */
async function checkApp(
  deps: EndpointDeps,
  accountId: number,
  appId: string | undefined,
): Promise<void> {
  if (appId === undefined) return;
  const app = await findApp(deps.db, appId);
  if (app?.account_id !== accountId) throw new Failure('not_found');
}

/**
 * 192 bits in the form of the Standard Webhooks specification, and their sealed form. Derived from
 * the request's seed: a retry after a crash shows the secret that was kept, not another.
 */
async function secretOf(deps: EndpointDeps, accountId: number, endpointId: string, seed: string) {
  const digest = createHmac('sha256', deps.keys.secret('webhook-secret'))
    .update(JSON.stringify([endpointId, seed]))
    .digest();
  const secret = `whsec_${digest.subarray(0, 24).toString('base64')}`;
  const owner = accountOwner(accountId);
  return { secret, sealed: await deps.sealer.seal(owner, secretContext(endpointId), secret) };
}

async function mustFind(deps: EndpointDeps, endpointId: string, accountId: number) {
  const row = await queries.findEndpoint(deps.db, endpointId, accountId);
  if (!row) throw new Failure('not_found');
  return row;
}

export const createEndpoint = handler(eventContracts.createEndpoint)(async (
  input,
  deps: EndpointDeps,
) => {
  const { account_id } = input.path;
  await enterAccount(deps, input, account_id);
  await checkTarget(deps, input.body.url, 'url');
  await checkApp(deps, account_id, input.body.app_id);
  const digest = createHash('sha256').update(`endpoint|${input.seed}`).digest('hex');
  const endpointId = `we_${digest.slice(0, 26)}`;
  const { secret, sealed } = await secretOf(deps, account_id, endpointId, input.seed);
  const given = {
    endpoint_id: endpointId,
    account_id,
    app_id: input.body.app_id ?? null,
    url: input.body.url,
    types: input.body.types,
    description: input.body.description ?? null,
    secret_sealed: sealed,
    now: input.call.now,
  };
  const row = await transaction(deps.db, (tx) =>
    queries.addEndpointWithin(tx, given, deps.settings.webhookEndpointsMax),
  );
  if (!row) throw new Failure('endpoint_limit');
  return { status: 201, body: { ...present(row), secret } };
});

export const listEndpoints = handler(eventContracts.listEndpoints)(async (
  input,
  deps: EndpointDeps,
) => {
  await enterAccount(deps, input, input.path.account_id);
  const rows = await queries.listEndpoints(deps.db, input.path.account_id);
  const { page, page_size } = input.query;
  const items = rows.slice((page - 1) * page_size, page * page_size).map(present);
  return { status: 200, body: pageOf(items, rows.length, input.query) };
});

export const getEndpoint = handler(eventContracts.getEndpoint)(async (
  input,
  deps: EndpointDeps,
) => {
  input.authorize(input.path.account_id);
  const row = await mustFind(deps, input.path.endpoint_id, input.path.account_id);
  return { status: 200, body: present(row) };
});

export const updateEndpoint = handler(eventContracts.updateEndpoint)(async (
  input,
  deps: EndpointDeps,
) => {
  input.authorize(input.path.account_id);
  await mustFind(deps, input.path.endpoint_id, input.path.account_id);
  if (input.body.url !== undefined) await checkTarget(deps, input.body.url, 'url');
  const { endpoint_id: id } = input.path;
  const row = await queries.updateEndpoint(deps.db, id, input.body, input.call.now);
  if (!row) throw new Failure('not_found');
  return { status: 200, body: present(row) };
});

export const removeEndpoint = handler(eventContracts.removeEndpoint)(async (
  input,
  deps: EndpointDeps,
) => {
  input.authorize(input.path.account_id);
  const { endpoint_id } = input.path;
  await mustFind(deps, endpoint_id, input.path.account_id);
  const removed = await queries.removeEndpoint(deps.db, endpoint_id, input.call.now);
  if (!removed) throw new Failure('not_found');
  return { status: 200, body: { endpoint_id, deleted: true } };
});

async function currentSecret(
  deps: EndpointDeps,
  { account_id, endpoint_id, secret_sealed }: queries.WebhookEndpointRow,
): Promise<string> {
  const context = secretContext(endpoint_id);
  const opened = await deps.sealer.open(accountOwner(account_id), context, secret_sealed);
  return opened.toString();
}

export const rotateSecret = handler(eventContracts.rotateSecret)(async (
  input,
  deps: EndpointDeps,
) => {
  const { account_id, endpoint_id } = input.path;
  input.authorize(account_id);
  const { secret, sealed } = await secretOf(deps, account_id, endpoint_id, input.seed);
  const { now } = input.call;
  const previousExpiresAt = new Date(now.getTime() + rotationMs);
  for (;;) {
    const row = await mustFind(deps, endpoint_id, account_id);
    // A retry of the rotation that was: a second one would push out the secret still in use.
    if ((await currentSecret(deps, row)) === secret) {
      return { status: 200, body: { ...present(row), secret } };
    }
    const change = { endpointId: endpoint_id, from: row.secret_sealed, to: sealed };
    const rotated = await queries.rotateSecret(deps.db, { ...change, previousExpiresAt, now });
    if (rotated) return { status: 200, body: { ...present(rotated), secret } };
  }
});

export const listDeliveries = handler(eventContracts.listDeliveries)(async (
  input,
  deps: EndpointDeps,
) => {
  input.authorize(input.path.account_id);
  await mustFind(deps, input.path.endpoint_id, input.path.account_id);
  const { endpoint_id } = input.path;
  const page = limitAndOffset(input.query);
  const rows = await queries.listDeliveries(deps.db, [endpoint_id, ...page]);
  const total = await queries.countDeliveries(deps.db, endpoint_id);
  const items = rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    // PostgreSQL writes a time into JSON with an offset of its own.
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      at: new Date(attempt.at).toISOString(),
    })),
  }));
  return { status: 200, body: pageOf(items, total, input.query) };
});

/** Queues the delivery once more; the relay starts its workflow. */
export const replayDelivery = handler(eventContracts.replayDelivery)(async (
  input,
  deps: EndpointDeps,
) => {
  const { account_id, endpoint_id, delivery_id } = input.path;
  input.authorize(account_id);
  await mustFind(deps, endpoint_id, account_id);
  const id = `wd_${createHash('sha256').update(`replay|${input.seed}`).digest('hex').slice(0, 32)}`;
  const outcome = await queries.replayDelivery(deps.db, {
    deliveryId: delivery_id,
    endpointId: endpoint_id,
    replayId: id,
    now: input.call.now,
  });
  if (outcome === 'unknown') throw new Failure('not_found');
  if (outcome === 'unfinished') {
    throw new Failure('invalid_state', { detail: 'Only a finished delivery is replayed' });
  }
  return { status: 201, body: { delivery_id: id } };
});
