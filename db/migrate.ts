import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type * as postgres from 'drizzle-orm/node-postgres';
import type * as migrator from 'drizzle-orm/node-postgres/migrator';
import type * as files from 'drizzle-orm/migrator';
import pg from 'pg';

// For every module it imports of it Node parses the 180 kB that say what drizzle-orm exports: a
// third of the time a service takes to start. What is required has them parsed once, and most of it
// is needed only where there is something to apply.
const require = createRequire(import.meta.url);
const { readMigrationFiles }: typeof files = require('drizzle-orm/migrator');

/** Any process may migrate at start; this lock lets one at a time do it. */
const migrationLock = 7_341_902_118;
const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
const lookMs = 200;
const patience = { sayAfterMs: 2_000, waitMsMax: 300_000 };
/** https://www.postgresql.org/docs/18/errcodes-appendix.html. */
const insufficientPrivilege = '42501';

/**
 * Why a database is not migrated: `busy`, another process has been at it for too long; `newer`, a
 * newer build has migrated it; `other`, a build that is not ours has, before ours was made;
 * `forbidden`, something is pending and the role may not apply it, or may not look.
 */
export type MigrationRefusal = 'busy' | 'newer' | 'other' | 'forbidden';

/** A database this process cannot work on, told in one line. */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
  readonly reason: MigrationRefusal;

  constructor(reason: MigrationRefusal, line: string, options?: { cause: unknown }) {
    super(line, options);
    this.reason = reason;
  }
}

/**
 * Applies every pending migration of `db/migrations`, forward only, under an advisory lock; where
 * none is, needs no right but to read which are applied. Harmless to repeat and to run from several
 * processes at once: one that waits for another `say`s so once, and gives up after five minutes.
 * Throws MigrationRefused.
 */
export async function migrate(
  databaseUrl: string,
  say: (line: string) => void = () => undefined,
  { sayAfterMs, waitMsMax } = patience,
): Promise<void> {
  await connected(databaseUrl, async (client) => {
    if ((await countPending(client)) === 0) return;
    await lock(client, say, sayAfterMs, waitMsMax);
    // Whoever had the lock may have left nothing to do, or be a newer build.
    const pending = await countPending(client);
    if (pending > 0) await apply(client, pending);
  });
}

/**
 * Looks whether a build that this one does not know has migrated the database; applies nothing and
 * waits for nobody. What is pending is no fault: whoever migrates comes to it. Throws
 * MigrationRefused.
 */
export async function refuseUnknownMigrations(databaseUrl: string): Promise<void> {
  await connected(databaseUrl, countPending);
}

async function connected(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'trustcheck-migrate',
    keepAlive: true,
  });
  // One that breaks is told by its query; unheard it ends the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * How many migrations of this build the database lacks. The newest it has must be one of this
 * build's: queries of an older one do not know its columns.
 */
async function countPending(client: pg.Client): Promise<number> {
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  const newest = await newestApplied(client);
  if (newest !== null && !known.includes(newest)) {
    throw unknownMigration(newest, Math.max(...known));
  }
  return known.filter((each) => newest === null || each > newest).length;
}

/** @param its @param ours when the last migrations were made, in ms since 1970 */
function unknownMigration(its: number, ours: number): MigrationRefused {
  const [itsDate, ourDate] = [its, ours].map((ms) => new Date(ms).toISOString());
  const isNewer = its > ours;
  const more = isNewer ? 'start that build' : 'start that build, or one that came after both';
  return new MigrationRefused(
    isNewer ? 'newer' : 'other',
    `${isNewer ? 'a newer' : 'another'} build has migrated the database: its last migration, of ` +
      `${itsDate}, is unknown to this build, whose last is of ${ourDate}; ${more}`,
  );
}

async function newestApplied(client: pg.Client): Promise<number | null> {
  const table = 'drizzle.__drizzle_migrations';
  try {
    const { rows: found } = await client.query<{ is: boolean }>(
      `SELECT to_regclass('${table}') IS NOT NULL AS is`,
    );
    if (!found[0]?.is) return null;
    const { rows } = await client.query<{ created_at: string }>(
      `SELECT created_at FROM ${table} ORDER BY created_at DESC LIMIT 1`,
    );
    return rows[0] ? Number(rows[0].created_at) : null;
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const line =
      'the role may not read which migrations are applied: ' +
      `grant it USAGE on the schema drizzle and SELECT on ${table}`;
    throw new MigrationRefused('forbidden', line, { cause });
  }
}

/** Asked again and again, not waited for: a waiter that is killed leaves nothing in a queue. */
async function lock(
  client: pg.Client,
  say: (line: string) => void,
  sayAfterMs: number,
  waitMsMax: number,
): Promise<void> {
  const began = performance.now();
  let isSaid = false;
  for (;;) {
    const { rows } = await client.query<{ is: boolean }>('SELECT pg_try_advisory_lock($1) AS is', [
      migrationLock,
    ]);
    if (rows[0]?.is) return;
    const waitedMs = performance.now() - began;
    if (waitedMs >= waitMsMax) {
      throw new MigrationRefused(
        'busy',
        `${await holder(client)}; not waited for longer than ${waitMsMax / 1000} s: ` +
          'let it finish, or end its connection, and start again',
      );
    }
    if (!isSaid && waitedMs >= sayAfterMs) {
      isSaid = true;
      say(`${await holder(client)}; waiting for it`);
    }
    await sleep(lookMs);
  }
}

/** Who migrates, and since when; the database tells it of other roles to its monitors alone. */
async function holder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; since: Date | null }>(
    `SELECT pid, COALESCE(a.xact_start, a.backend_start) AS since
     FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND (l.classid::bigint << 32 | l.objid::bigint) = $1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [migrationLock],
  );
  const [found] = rows;
  const since = found?.since ? ` since ${found.since.toISOString()}` : '';
  const connection = found ? ` (PostgreSQL process ${found.pid})` : '';
  return `another process is migrating the database${since}${connection}`;
}

/** A migration may take longer than any query: what a role or a database sets is for those. */
async function apply(client: pg.Client, pending: number): Promise<void> {
  for (const name of [
    'statement_timeout',
    'transaction_timeout',
    'idle_in_transaction_session_timeout',
  ]) {
    await client.query(`SET ${name} = 0`);
  }
  const { drizzle }: typeof postgres = require('drizzle-orm/node-postgres');
  const { migrate: applyAll }: typeof migrator = require('drizzle-orm/node-postgres/migrator');
  try {
    await applyAll(drizzle(client), { migrationsFolder });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const line =
      `the database lacks migrations (${pending}), and the role may not apply them: ` +
      'start once with the role of its owner';
    throw new MigrationRefused('forbidden', line, { cause: causeOf(error) });
  }
}

/** What the database said: the migrator puts the statement around it. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

function isForbidden(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof pg.DatabaseError && cause.code === insufficientPrivilege;
}
