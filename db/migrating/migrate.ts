import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type * as files from 'drizzle-orm/migrator';
import { applyGrants, areGrantsApplied, requireRoles } from './apply-grants.ts';
import { applyMigrations } from './apply-migrations.ts';
import { withQueryTimeout, type Query } from './query-timeout.ts';
import { isForbidden, MigrationRefused } from './migration-refused.ts';

// An ES import of drizzle-orm makes Node parse its 180 kB `package.json` once per module, which
// takes a third of the start time of a service. `require` parses it once. Most of it is needed only
// if there are pending migrations.
const require = createRequire(import.meta.url);
const { readMigrationFiles }: typeof files = require('drizzle-orm/migrator');

/** Advisory lock: one process migrates at a time. */
const migrationLock = 7_341_902_118;
const lookMs = 200;
const defaults = {
  migrationsFolder: fileURLToPath(new URL('../migrations', import.meta.url)),
  /** Wait for another migrating process, in milliseconds, after which `say` reports it. */
  sayAfterMs: 2_000,
  /** Total wait for other processes. */
  waitMsMax: 300_000,
  /** Wait for one lock. */
  lockMsMax: 2_000,
  /** Time in which the database must answer. */
  answerMsMax: 30_000,
};
type MigrateOptions = typeof defaults;

/**
 * Applies every pending migration of `db/migrations`, forward only, under an advisory lock. Then
 * grants the roles of the processes the privileges of `grants.ts`. Connects as the owner.
 * It is safe to repeat and to run from several processes at once. It reports a wait for another
 * process once, and each wait for a table. It gives up after five minutes.
 * @throws MigrationRefused
 */
export async function migrate(
  ownerUrl: string,
  say: (line: string) => void = () => undefined,
  given: Partial<MigrateOptions> = {},
): Promise<void> {
  const options = { ...defaults, ...given };
  const { migrationsFolder } = options;
  await withQueryTimeout(ownerUrl, options.answerMsMax, async (ask, client) => {
    await requireRoles(ask);
    if ((await countPending(ask, migrationsFolder)) === 0 && (await areGrantsApplied(ask))) return;
    const began = performance.now();
    await lock(ask, say, began, options);
    // The previous lock holder may have applied everything, or may be a newer build.
    const pending = await countPending(ask, migrationsFolder);
    if (pending > 0) {
      const application = { databaseUrl: ownerUrl, pending, say, began, ...options };
      await applyMigrations(ask, client, application);
    }
    await applyGrants(ask);
  });
}

/**
 * Requires that the database has exactly the migrations of this build. Applies nothing and takes no
 * lock. Any role that may read the migrations table can run it.
 * @throws MigrationRefused `pending`, `newer`, `other`, `forbidden`, `silent`
 */
export async function requireMigrated(
  databaseUrl: string,
  { answerMsMax }: Pick<MigrateOptions, 'answerMsMax'> = defaults,
): Promise<void> {
  await withQueryTimeout(databaseUrl, answerMsMax, async (ask) => {
    const pending = await countPending(ask, defaults.migrationsFolder);
    if (pending === 0) return;
    throw new MigrationRefused(
      'pending',
      `the database lacks migrations (${pending}): run "trustcheck migrate" as its owner first`,
    );
  });
}

/**
 * Returns the number of migrations of this build that the database lacks. The newest applied
 * migration must be one of this build, because queries of an older build do not know newer columns.
 */
async function countPending(ask: Query, migrationsFolder: string): Promise<number> {
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  const newest = await newestApplied(ask);
  if (newest !== null && !known.includes(newest)) {
    throw unknownMigration(newest, Math.max(...known));
  }
  return known.filter((each) => newest === null || each > newest).length;
}

/**
 * @param its time of the newest migration of the database, in ms since 1970
 * @param ours time of the newest migration of this build, in ms since 1970
 */
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

async function newestApplied(ask: Query): Promise<number | null> {
  const table = 'drizzle.__drizzle_migrations';
  try {
    const [found] = await ask<{ is: boolean }>(`SELECT to_regclass('${table}') IS NOT NULL AS is`);
    if (!found?.is) return null;
    const [newest] = await ask<{ created_at: string }>(
      `SELECT created_at FROM ${table} ORDER BY created_at DESC LIMIT 1`,
    );
    return newest ? Number(newest.created_at) : null;
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const line =
      'the role may not read which migrations are applied: ' +
      `grant it USAGE on the schema drizzle and SELECT on ${table}`;
    throw new MigrationRefused('forbidden', line, { cause });
  }
}

/**
 * Polls for the advisory lock instead of waiting in its queue: a killed process then leaves no
 * waiter behind.
 */
async function lock(
  ask: Query,
  say: (line: string) => void,
  began: number,
  { sayAfterMs, waitMsMax }: MigrateOptions,
): Promise<void> {
  let isReported = false;
  for (;;) {
    const [tried] = await ask<{ is: boolean }>('SELECT pg_try_advisory_lock($1) AS is', [
      migrationLock,
    ]);
    if (tried?.is) return;
    const waitedMs = performance.now() - began;
    if (waitedMs >= waitMsMax) {
      throw new MigrationRefused(
        'busy',
        `${await holder(ask)}; not waited for longer than ${waitMsMax / 1000} s: ` +
          'let it finish, or end its connection, and start again',
      );
    }
    if (!isReported && waitedMs >= sayAfterMs) {
      isReported = true;
      say(`${await holder(ask)}; waiting for it`);
    }
    await sleep(lookMs);
  }
}

/**
 * Describes the process that holds the lock, with its start if visible. PostgreSQL shows the start
 * for other roles only to monitoring roles.
 */
async function holder(ask: Query): Promise<string> {
  const [found] = await ask<{ pid: number; since: Date | null }>(
    `SELECT pid, COALESCE(a.xact_start, a.backend_start) AS since
     FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND (l.classid::bigint << 32 | l.objid::bigint) = $1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [migrationLock],
  );
  const since = found?.since ? ` since ${found.since.toISOString()}` : '';
  const connection = found ? ` (PostgreSQL process ${found.pid})` : '';
  return `another process is migrating the database${since}${connection}`;
}
