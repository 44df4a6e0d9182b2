import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliver } from '../../../activities/delivery/webhooks/deliver.ts';
import { secretContext } from '../../../activities/delivery/webhooks/secret-context.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createPlaces } from '../../../activities/runtime/places.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addEndpoint, addSample, markStarted } from '../../../db/queries/webhooks.ts';
import { accountOwner, createSealer, type Sealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { Failure } from '../../../workflows/failures.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { CancelledFailure } from '@temporalio/common';
import { activityEnvironment } from '../../support/checks/activity-environment.ts';

const { own, databaseUrl, dataDir } = ownPlatform();
let db: Db;
let sealer: Sealer;
let server: Server;
let [opened, closed] = [0, 0];

beforeAll(async () => {
  const keys = loadKeys(`${dataDir}/keys`);
  db = openTestDb(databaseUrl);
  sealer = createSealer(db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
  // Answers at once and then never ends: a byte every 50 ms.
  server = createServer((_request, response) => {
    opened += 1;
    response.writeHead(200).write('a');
    const drip = setInterval(() => response.write('a'), 50);
    response.on('close', () => {
      clearInterval(drip);
      closed += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await db.end();
});

async function newDelivery(): Promise<string> {
  const now = new Date();
  const id = randomIds.make('we');
  const secret = `whsec_${randomIds.bytes(24).toString('base64')}`;
  await addEndpoint(db, {
    endpoint_id: id,
    account_id: own.account_id,
    app_id: null,
    livemode: true,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    types: ['meeting.ended'],
    description: null,
    secret_sealed: await sealer.seal(accountOwner(own.account_id), secretContext(id), secret),
    now,
  });
  const deliveryId = randomIds.make('wd');
  const sample = { event_id: randomIds.make('evt') };
  await transaction(db, async (tx) => {
    await addSample(tx, { deliveryId, endpointId: id, sample, now });
    // Already marked as started, so that the relay skips it: the test makes the attempt.
    await markStarted(tx, [deliveryId, now]);
  });
  return deliveryId;
}

const depsOf = (attemptMsMax: number, mostOfAccount = 1) => ({
  db,
  sealer,
  clock: () => new Date(),
  allowPrivate: true,
  places: createPlaces({ most: 2, mostOfAccount, retryAfterSeconds: 1 }),
  attemptMsMax,
});

it('silent receivers use only the slots of their account, and free them', async () => {
  const deps = depsOf(3_000);
  const [first, second] = [await newDelivery(), await newDelivery()];
  const before = opened;
  const held = deliver(deps, first, 1);
  await expect.poll(() => opened).toBe(before + 1);
  await expect(deliver(deps, second, 1)).rejects.toMatchObject({ code: 'rate_limited' });
  const other = deps.places.take(own.account_id + 1);
  expect(() => deps.places.take(own.account_id + 1)).toThrow(Failure);
  other();
  expect(await held).toEqual({ status: 'retry', retryAfterMs: 0 });
  expect(await deliver({ ...deps, attemptMsMax: 300 }, second, 1)).toMatchObject({
    status: 'retry',
  });
});

it('an endless answer is a failed attempt after the time limit', async () => {
  const deliveryId = await newDelivery();
  const deps = depsOf(600);
  const before = closed;
  expect(await deliver(deps, deliveryId, 1)).toEqual({ status: 'retry', retryAfterMs: 0 });
  const { rows } = await db.query(
    'SELECT status, error, latency_ms FROM webhook_attempts WHERE delivery_id = $1',
    [deliveryId],
  );
  expect(rows).toMatchObject([{ status: null, error: 'ATTEMPT_TIMEOUT' }]);
  expect(rows[0].latency_ms).toBeLessThan(10_000);
  await expect.poll(() => closed).toBe(before + 1);
});

it('a canceled attempt closes its request and is not recorded', async () => {
  const deliveryId = await newDelivery();
  const deps = depsOf(600_000);
  const before = { opened, closed };
  const environment = activityEnvironment();
  const running = environment.run(() => deliver(deps, deliveryId, 1));
  await expect.poll(() => opened).toBe(before.opened + 1);
  environment.cancel();
  await expect(running).rejects.toBeInstanceOf(CancelledFailure);
  await expect.poll(() => closed).toBe(before.closed + 1);
  const recorded = 'SELECT 1 FROM webhook_attempts WHERE delivery_id = $1';
  expect((await db.query(recorded, [deliveryId])).rows).toEqual([]);
  // Its slot is free again.
  deps.places.take(own.account_id)();
});
