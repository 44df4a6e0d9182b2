import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as postgres from 'drizzle-orm/node-postgres';
import type * as migrator from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

// For every module it imports of it Node parses the 180 kB that say what drizzle-orm exports: a
// third of the time a service takes to start. What is required has them parsed once.
const require = createRequire(import.meta.url);
const { drizzle }: typeof postgres = require('drizzle-orm/node-postgres');
const { migrate: apply }: typeof migrator = require('drizzle-orm/node-postgres/migrator');

/** Any process may migrate at start; this lock lets one at a time do it. */
const migrationLock = 7_341_902_118;

/**
 * Applies every pending migration of `db/migrations`, forward only, under an advisory lock.
 * Harmless to repeat and to run from several processes at once.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await apply(drizzle(client), {
      migrationsFolder: fileURLToPath(new URL('./migrations', import.meta.url)),
    });
  } finally {
    await client.end();
  }
}
