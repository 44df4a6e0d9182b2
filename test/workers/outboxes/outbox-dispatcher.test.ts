import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareNamespace } from '../../../cli/temporal/namespace.ts';
import { transaction } from '../../../db/client.ts';
import { relayOutboxes } from '../../../workers/outboxes/relay.ts';
import { plannedAffidavits } from '../../../workers/outboxes/starts/affidavit-starts.ts';
import { queuedDeliveries } from '../../../workers/outboxes/starts/webhook-deliveries.ts';
import { affidavitWorkflowId } from '../../../workflows/issue-affidavit/messages.ts';
import { webhookDeliveryWorkflowId } from '../../../workflows/webhook-delivery/messages.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { openLine, type Line } from '../../support/stand-ins/line.ts';

const { databaseUrl, temporalAddress } = ownPlatform();
/** A namespace of this file: no worker serves its workflows. */
const namespace = `start-each-${process.pid}-${Date.now()}`;
/** Longer than the maximum length of a workflow id, so the server cannot start it. */
const unstartable = 'x'.repeat(1_100);
const never = new AbortController().signal;

let store: Awaited<ReturnType<typeof createDatabase>>;
let line: Line;
let connection: NativeConnection;
let client: Client;
let said: { row?: string }[] = [];
const log = pino({ level: 'warn' }, { write: (text) => void said.push(JSON.parse(text)) });

beforeAll(async () => {
  [store, line] = await Promise.all([createDatabase(databaseUrl), openLine(temporalAddress)]);
  await prepareNamespace({ address: temporalAddress, namespace });
  connection = await NativeConnection.connect({ address: line.address });
  client = new Client({ connection, namespace });
});
afterAll(async () => {
  line.release();
  await connection.close();
  await line.stop();
  await store.drop();
});

/** Inserts rows without the rows they refer to. */
const insert = (sql: string, values: readonly unknown[]): Promise<unknown> =>
  transaction(store.db, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    return tx.query(sql, [...values]);
  });

/** Plans affidavits in this order. */
async function plan(ids: readonly string[]): Promise<void> {
  said = [];
  await store.db.query('TRUNCATE affidavits, trust_checks CASCADE');
  await insert(
    `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, status,
       proofs, asked, matching, livemode, created_at)
     SELECT 'tc_' || place, 'link', 'app', 1, 'web', 'passed', '[]', '{}', '{}', false, now()
     FROM unnest($1::text[]) WITH ORDINALITY AS planned (id, place)`,
    [ids],
  );
  await insert(
    `INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status, created_at)
     SELECT id, 'tc_' || place, 1, 'app', 'pending', now() + place * interval '1 second'
     FROM unnest($1::text[]) WITH ORDINALITY AS planned (id, place)`,
    [ids],
  );
}

async function pending(): Promise<string[]> {
  const { rows } = await store.db.query<{ affidavit_id: string }>(
    `SELECT affidavit_id FROM affidavits WHERE status = 'pending' ORDER BY created_at`,
  );
  return rows.map(({ affidavit_id }) => affidavit_id);
}

const clock = (): Date => new Date();
const relay = () =>
  relayOutboxes(log, store.url, [plannedAffidavits({ db: store.db, client, clock, log })]);
const isStarted = async (id: string): Promise<boolean> =>
  (await client.workflow.getHandle(id).describe()).status.name === 'RUNNING';

describe('outbox rows that wait for their workflow', () => {
  it('are started behind more than a page of rows that cannot be started', async () => {
    const bad = Array.from({ length: 110 }, (_, index) => `${unstartable}${index}`);
    const good = ['aff_first', 'aff_second'];
    await plan([...bad, ...good]);
    await plannedAffidavits({ db: store.db, client, clock, log }).drain(never);
    expect(await pending()).toEqual(bad);
    expect(said.map(({ row }) => row)).toEqual(bad);
    for (const id of good) expect(await isStarted(affidavitWorkflowId(id))).toBe(true);
  });

  it('are marked with the clock of their process, deliveries too', async () => {
    await insert(
      `INSERT INTO webhook_endpoints
         (endpoint_id, account_id, url, types, secret_sealed, status, created_at, updated_at)
       VALUES ('whe_here', 1, 'https://example.test', '{}', '', 'enabled', now(), now())`,
      [],
    );
    await insert(
      `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, event_id, status, created_at)
       VALUES ('whd_bad', 'whe_here', $1, 'pending', now() - interval '1 hour'),
              ('whd_good', 'whe_here', 'evt_good', 'pending', now())`,
      [unstartable],
    );
    // Only ahead: the deadline of a call is counted from this clock.
    const ahead = new Date(Date.now() + 24 * 3600_000);
    await queuedDeliveries({ db: store.db, client, clock: () => ahead, log }).drain(never);
    const { rows } = await store.db.query(
      'SELECT delivery_id, status, started_at FROM webhook_deliveries ORDER BY delivery_id',
    );
    expect(rows).toEqual([
      { delivery_id: 'whd_bad', status: 'pending', started_at: null },
      { delivery_id: 'whd_good', status: 'delivering', started_at: ahead },
    ]);
    expect(await isStarted(webhookDeliveryWorkflowId('whe_here', 'evt_good', 0))).toBe(true);
  });

  it('stay pending while the workflow server does not answer, and are started afterwards', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `aff_held_${index}`);
    await plan(ids);
    line.hold();
    const waiting = relay();
    await eventually('a start that was given up', async () => said.length >= 2);
    expect(await pending()).toEqual(ids);
    // The relay stops although the call of a start still hangs.
    await waiting.stop();
    line.release();
    const healed = relay();
    await eventually('all starts', async () => (await pending()).length === 0);
    await healed.stop();
  });

  it('do not delay the stop of a relay', async () => {
    await plan(Array.from({ length: 3_000 }, (_, index) => `aff_many_${index}`));
    const ending = relay();
    await eventually('a start', async () => (await pending()).length < 3_000);
    await ending.stop();
    expect((await pending()).length).toBeGreaterThan(0);
  });
});
