import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOfKey } from '../../../api/http/idempotency.ts';
import type { Db } from '../../../db/client.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newEndpoint } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;
const idOf = (place: string): string => place.slice(place.lastIndexOf('/') + 1);
let db: Db;
let lastKey = 0;

beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

const newKey = (): string => `race-${process.pid}-${Date.now()}-${(lastKey += 1)}`;

/**
 * Removes a stored answer, as a crash before the answer does. The key stays `running` with its seed
 * and can be taken over.
 */
async function forgetAnswer(operation: string, key: string): Promise<void> {
  const scope = [token.slice(0, token.lastIndexOf('_')), own.account_id];
  const id = idOfKey({ scope, operation, key });
  const { rowCount } = await db.query(
    `UPDATE idempotency_keys SET state = 'running', response_sealed = NULL,
       locked_until = now() - interval '1 minute' WHERE id = $1 AND state = 'done'`,
    [id],
  );
  expect(rowCount).toBe(1);
}

async function twice(operation: string, path: string, body: unknown): Promise<[Answer, Answer]> {
  const key = newKey();
  const headers = { 'idempotency-key': key };
  const first = await call('POST', path, { token, body, headers });
  await forgetAnswer(operation, key);
  const second = await call('POST', path, { token, body, headers });
  expect(second.headers.get('idempotent-replayed')).toBeNull();
  return [first, second];
}

async function sealedOf(id: string): Promise<{ secret: Buffer; previous: Buffer | null }> {
  const { rows } = await db.query(
    `SELECT secret_sealed AS secret, previous_secret_sealed AS previous FROM webhook_endpoints
     WHERE endpoint_id = $1`,
    [id],
  );
  return rows[0];
}

describe('a retry after a crash', () => {
  it('of a creation returns the stored secret', async () => {
    const [first, second] = await twice('webhook-endpoints.create', at, {
      url: 'http://127.0.0.1:9/',
      types: ['meeting.ended'],
    });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body['secret']).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(second.body).toEqual(first.body);
  });

  it('of a rotation does not rotate again', async () => {
    const place = await newEndpoint();
    const before = await sealedOf(idOf(place));
    const [first, second] = await twice(
      'webhook-endpoints.rotateSecret',
      `${place}/rotate-secret`,
      {},
    );
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect((await sealedOf(idOf(place))).previous).toEqual(before.secret);
    const next = await call('POST', `${place}/rotate-secret`, { token, body: {} });
    expect(next.body['secret']).not.toBe(first.body['secret']);
  });
});

/** Sends a request that has to wait for an uncommitted change. */
async function during(change: string, id: string, send: () => Promise<Answer>): Promise<Answer> {
  const tx = await db.connect();
  try {
    await tx.query('BEGIN');
    await tx.query(`UPDATE webhook_endpoints SET ${change} WHERE endpoint_id = $1`, [id]);
    const sent = send();
    await eventually('the change to wait', async () => {
      const { rows } = await db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
           AND wait_event_type = 'Lock' AND query LIKE '%webhook_endpoints%'`,
      );
      return rows.length > 0;
    });
    await tx.query('COMMIT');
    return await sent;
  } finally {
    tx.release();
  }
}

describe('an update of the description', () => {
  const describeIt = (place: string) => () =>
    call('PATCH', place, { token, body: { description: 'changed' } });

  it('does not enable an endpoint that a 410 disables concurrently', async () => {
    const place = await newEndpoint();
    const change = "status = 'disabled', disabled_reason = 'gone'";
    const answer = await during(change, idOf(place), describeIt(place));
    const { status, body } = answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({
      description: 'changed',
      status: 'disabled',
      disabled_reason: 'gone',
      url: 'http://127.0.0.1:9/',
      types: ['meeting.ended'],
    });
  });

  it('does not restore an endpoint that is removed concurrently', async () => {
    const place = await newEndpoint();
    const answer = await during("status = 'removed'", idOf(place), describeIt(place));
    expect([answer.status, answer.body['code']]).toEqual([404, 'not_found']);
    expect((await call('GET', place, { token })).status).toBe(404);
  });

  it('accepts null for none, and an empty list for all types', async () => {
    const place = await newEndpoint();
    await describeIt(place)();
    const kept = await call('PATCH', place, { token, body: { status: 'disabled' } });
    expect(kept.body).toMatchObject({ description: 'changed', disabled_reason: 'by_request' });
    const body = { description: null, types: [], status: 'enabled' };
    const cleared = await call('PATCH', place, { token, body });
    expect(cleared.body).toMatchObject({ ...body, disabled_reason: null });
    await call('DELETE', place, { token });
  });
});
