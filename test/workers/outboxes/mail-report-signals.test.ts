import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addMailReports, listMailReports } from '../../../db/queries/mail-reports.ts';
import { addAccount } from '../../../db/queries/seeding.ts';
import { mailReports } from '../../../workers/outboxes/starts/mail-report-signals.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const log = pino({ enabled: false });
const clock = (): Date => new Date();
let db: Db;
let drop: () => Promise<void>;
let client: Client;
/**
 * Nothing listens on port 9 (discard) of this machine. No interceptors: the SDK's retry would still
 * run when the connection is closed.
 */
const away = Connection.lazy({ address: '127.0.0.1:9', interceptors: [] });

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  client = await connectClient();
  const [made] = await addAccount(db, ['Example account', true, new Date()]);
  await db.query(
    `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs, tos_version,
       created_at) VALUES ('example-app', $1, 'Example app', 'sdk', '{}', '{}', '1', now())`,
    [made?.account_id],
  );
  await db.query(
    `INSERT INTO links (link_uuid, app_id, account_id, link_type, status, single_use, emailed,
       livemode, max_attempts, required_proofs, requested_claims, policy, created_by,
       created_at, updated_at)
     SELECT id, 'example-app', $1, 'trust_check', 'active', true, emailed, true, 3, '{phone}', '{}',
       '{}', 'key', now(), now()
     FROM (VALUES ('mailed', true), ('shown', false)) l (id, emailed)`,
    [made?.account_id],
  );
});
afterAll(async () => {
  await away.close();
  await client.connection.close();
  await drop();
});

const report = (event_id: string, link_uuid = 'mailed') =>
  ({ event_id, link_uuid, status: 'delivered' }) as const;
const drain = (by: Client): Promise<void> =>
  mailReports({ db, ids: randomIds, client: by, clock, log }).drain(new AbortController().signal);
const waiting = async (): Promise<string[]> =>
  (await listMailReports(db, 100, [])).map(({ event_id }) => event_id);

it('reports wait while the workflow server is unavailable, and are removed once their workflow ended', async () => {
  await addMailReports(db, [report('one'), report('one')], clock());
  await addMailReports(db, [report('one'), report('two', 'shown')], clock());
  await addMailReports(db, [report('three', 'none')], clock());
  expect(await waiting()).toEqual(['one']);
  await drain(new Client({ connection: away }));
  expect(await waiting()).toEqual(['one']);
  // Its workflow has ended, so nothing is left to signal.
  await drain(client);
  expect(await waiting()).toEqual([]);
});

it('a delivered report is removed after a week, a waiting one is not', async () => {
  const days = (count: number): Date => new Date(Date.now() - count * 24 * 3600_000);
  const { rows: before } = await db.query('DELETE FROM mail_reports');
  expect(before).toEqual([]);
  await addMailReports(db, [report('old')], days(8));
  await addMailReports(db, [report('recent')], days(6));
  await drain(client);
  await addMailReports(db, [report('waits')], days(8));
  await addMailReports(db, [report('new')], clock());
  const { rows } = await db.query<{ event_id: string }>(
    'SELECT event_id FROM mail_reports ORDER BY event_id',
  );
  expect(rows.map(({ event_id }) => event_id)).toEqual(['new', 'recent', 'waits']);
});
