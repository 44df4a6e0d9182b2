import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import type { Db } from '../../../db/client.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';

let db: Db;
let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(() => drop());

it('the API listens only after it has loaded the compromised keys from the database', async () => {
  const locking = await db.connect();
  await locking.query('BEGIN');
  await locking.query('LOCK TABLE stolen_secrets IN ACCESS EXCLUSIVE MODE');
  const starting = startSecondApi({ DATABASE_URL: developmentUrls(url).api });
  const started = starting.then(() => 'listening');
  try {
    await eventually('a start that waits for the table', async () => {
      const { rows } = await db.query(
        `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE NOT granted AND relation = 'stolen_secrets'::regclass
           AND datname = current_database() AND application_name = 'trustcheck-api'`,
      );
      return rows.length > 0;
    });
    expect(await Promise.race([started, sleep(3_000, 'waiting')])).toBe('waiting');
  } finally {
    await locking.query('ROLLBACK');
    locking.release();
  }
  expect(await started).toBe('listening');
  await (await starting).stop();
});
