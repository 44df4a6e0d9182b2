import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addSample, markStarted } from '../../../db/queries/webhooks.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newEndpoint } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
let db: Db;

beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

/** Inserts a delivery of the endpoint in this state, without a workflow. */
async function newDelivery(place: string, status: 'delivering' | 'failed'): Promise<string> {
  const deliveryId = randomIds.make('wd');
  const endpointId = place.slice(place.lastIndexOf('/') + 1);
  const now = new Date();
  await transaction(db, async (tx) => {
    const sample = { event_id: randomIds.make('evt') };
    await addSample(tx, { deliveryId, endpointId, sample, now });
    await markStarted(tx, [deliveryId, now]);
    await tx.query(
      'UPDATE webhook_deliveries SET status = $2::webhook_delivery_status WHERE delivery_id = $1',
      [deliveryId, status],
    );
  });
  return deliveryId;
}

const replay = (place: string, deliveryId: string): Promise<Answer> =>
  call('POST', `${place}/deliveries/${deliveryId}/replay`, { token, body: {} });

describe('replays of one delivery', () => {
  it('get distinct numbers if they are concurrent, and all are attempted', async () => {
    const place = await newEndpoint();
    const deliveryId = await newDelivery(place, 'failed');
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => replay(place, deliveryId)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const ids = new Set(answers.map(({ body }) => body['delivery_id']));
    expect(ids.size).toBe(8);
    const { rows } = await db.query(
      `SELECT r.delivery_id, r.replay FROM webhook_deliveries r
         JOIN webhook_deliveries d USING (endpoint_id, event_id)
       WHERE d.delivery_id = $1 ORDER BY r.replay`,
      [deliveryId],
    );
    expect(rows.map((row) => row.replay)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    await eventually('every replay to be attempted', async () => {
      const { body } = await call('GET', `${place}/deliveries`, { token });
      const items = body['items'] as { delivery_id: string; attempts: unknown[] }[];
      return (
        items.filter((one) => ids.has(one.delivery_id) && one.attempts.length > 0).length === 8
      );
    });
  });

  it('return 409 until the delivery has ended, and 404 for another endpoint', async () => {
    const place = await newEndpoint();
    const running = await newDelivery(place, 'delivering');
    expect(outcome(await replay(place, running))).toEqual([409, 'invalid_state']);
    const ended = await newDelivery(place, 'failed');
    const elsewhere = await newEndpoint();
    expect(outcome(await replay(elsewhere, ended))).toEqual([404, 'not_found']);
    expect(outcome(await replay(elsewhere, running))).toEqual([404, 'not_found']);
  });
});
