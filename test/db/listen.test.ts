import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { transaction, type Db } from '../../db/client.ts';
import { listen } from '../../db/listen.ts';
import { createDatabase, eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

let db: Db;
let url = '';
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(() => drop());

const end = (name: string) =>
  db.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
    name,
  ]);

describe('a broken connection', () => {
  it('is replaced, and the listener is notified that it listens again', async () => {
    const heard: string[] = [];
    const breaks: unknown[] = [];
    let beginnings = 0;
    const listener = listen({
      databaseUrl: url,
      applicationName: 'listening-test',
      channels: ['one', 'two'],
      onNotice: (channel, payload) => heard.push(`${channel} ${payload}`),
      onListening: () => (beginnings += 1),
      onBreak: (error) => breaks.push(error),
    });
    try {
      for (const round of [1, 2, 3]) {
        await eventually('a beginning', async () => beginnings === round);
        await db.query(`SELECT pg_notify('one', $1), pg_notify('two', $1)`, [String(round)]);
        await eventually('both', async () => heard.length === 2 * round);
        await end('listening-test');
      }
      expect(heard).toEqual(['one 1', 'two 1', 'one 2', 'two 2', 'one 3', 'two 3']);
      expect(breaks.length).toBeGreaterThanOrEqual(2);
    } finally {
      await listener.stop();
    }
  });

  it('is not replaced after the listener has stopped', async () => {
    let beginnings = 0;
    const listener = listen({
      databaseUrl: url,
      applicationName: 'stopped-test',
      channels: ['one'],
      onNotice: () => undefined,
      onListening: () => (beginnings += 1),
      onBreak: () => undefined,
    });
    await eventually('a beginning', async () => beginnings === 1);
    await listener.stop();
    await eventually('its end', async () => {
      const left = await db.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [
        'stopped-test',
      ]);
      return left.rowCount === 0;
    });
    expect(beginnings).toBe(1);
  });

  it('fails its transaction as an unavailable database, and leaves the process and the pool intact', async () => {
    const broken = transaction(db, async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => tx.once('end', () => resolve(undefined)));
      await db.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      // No query runs when it breaks: only the connection itself can notice.
      await ended;
      await tx.query('SELECT 1');
    });
    const fault = await broken.catch((error: unknown) => error);
    expect([fault, isDatabaseUnavailable(fault)]).toEqual([fault, true]);
    const { rows } = await db.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
  });
});
