import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as postgres from 'drizzle-orm/node-postgres';
import type * as migrator from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { withQueryTimeout, type Query } from './query-timeout.ts';
import { causeOf, isForbidden, isHeldUp, MigrationRefused } from './migration-refused.ts';

const require = createRequire(import.meta.url);
const pauseMsMax = 10_000;

/** What to apply, and time limits. */
export interface Application {
  readonly databaseUrl: string;
  readonly migrationsFolder: string;
  /** Number of migrations that the database lacks. */
  readonly pending: number;
  readonly say: (line: string) => void;
  /** Start of the wait, from `performance.now()`. */
  readonly began: number;
  readonly waitMsMax: number;
  /**
   * Maximum wait for one lock. Other queries on the table wait behind the migration for that long.
   */
  readonly lockMsMax: number;
  readonly answerMsMax: number;
}

/**
 * Applies the pending migrations in one transaction. Never waits for a lock in one go, because
 * later readers of the table would queue behind the migration. Instead it tries again with short
 * waits, and reports each wait and the lock holder through `say`.
 * @throws MigrationRefused `forbidden`, or `busy` if `waitMsMax` is over
 */
export async function applyMigrations(
  ask: Query,
  client: pg.Client,
  application: Application,
): Promise<void> {
  const { pending, say, began, waitMsMax, lockMsMax } = application;
  // A migration may take longer than any query, so it ignores the limits of the role and the
  // database.
  for (const name of [
    'statement_timeout',
    'transaction_timeout',
    'idle_in_transaction_session_timeout',
  ]) {
    await ask(`SET ${name} = 0`);
  }
  await ask(`SET lock_timeout = ${lockMsMax}`);
  for (let pauseMs = lockMsMax; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const who = await heldUpBy(ask, client, application).catch((error: unknown) => {
      throw isForbidden(error) ? forbidden(pending, error) : error;
    });
    if (who === null) return;
    if (performance.now() - began >= waitMsMax) {
      throw new MigrationRefused(
        'busy',
        `${who} holds what a migration of the database needs; not waited for longer than ` +
          `${waitMsMax / 1000} s: let it finish, or end its connection, and start again`,
      );
    }
    const again = `trying again in ${pauseMs / 1000} s, so that nobody waits behind it`;
    say(`${who} holds what a migration of the database needs; ${again}`);
    await sleep(pauseMs);
  }
}

/**
 * Applies the pending migrations. Returns null, or a description of the lock holder if a lock wait
 * timed out.
 */
async function heldUpBy(
  ask: Query,
  client: pg.Client,
  application: Application,
): Promise<string | null> {
  const { drizzle }: typeof postgres = require('drizzle-orm/node-postgres');
  const { migrate }: typeof migrator = require('drizzle-orm/node-postgres/migrator');
  const [own] = await ask<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const end = new AbortController();
  const watched = watchHolder(own?.pid ?? 0, application, end.signal);
  try {
    await migrate(drizzle(client), { migrationsFolder: application.migrationsFolder });
    return null;
  } catch (error) {
    if (!isHeldUp(error)) throw error;
    end.abort();
    return (await watched) ?? 'another connection';
  } finally {
    end.abort();
    await watched;
  }
}

/**
 * Watches which connection blocks `pid`, until `signal` aborts. Returns the last one seen, or null.
 */
async function watchHolder(
  pid: number,
  { databaseUrl, lockMsMax, answerMsMax }: Application,
  signal: AbortSignal,
): Promise<string | null> {
  const seen: string[] = [];
  const pause = () => sleep(lockMsMax / 8, undefined, { signal });
  try {
    await pause();
    await withQueryTimeout(databaseUrl, answerMsMax, async (ask) => {
      for (;;) {
        seen.push(...(await holderOf(ask, pid)));
        await pause();
      }
    });
  } catch {
    // Aborted, or no second connection is available: then the holder stays unnamed.
  }
  return seen.at(-1) ?? null;
}

interface Holder {
  readonly pid: number;
  readonly name: string | null;
  readonly age: number | null;
  readonly others: number;
}

/**
 * Describes the connection with the oldest transaction that blocks `waiting`. Returns an empty list
 * if none does. PostgreSQL shows the start of a transaction only to its own role and to monitoring
 * roles.
 */
async function holderOf(ask: Query, waiting: number): Promise<string[]> {
  const rows = await ask<Holder>(
    `SELECT b.pid, NULLIF(a.application_name, '') AS name,
       extract(epoch FROM clock_timestamp() - a.xact_start)::int AS age,
       (count(*) OVER () - 1)::int AS others
     FROM unnest(pg_blocking_pids($1)) AS b (pid) LEFT JOIN pg_stat_activity a ON a.pid = b.pid
     ORDER BY a.xact_start NULLS LAST LIMIT 1`,
    [waiting],
  );
  return rows.map(({ pid, name, age, others }) => {
    // A prepared transaction (two-phase commit) has no process.
    const who = pid === 0 ? 'a prepared transaction' : `PostgreSQL process ${pid}`;
    const facts = [
      ...(name === null ? [] : [name]),
      ...(age === null ? [] : [`its transaction ${age} s old`]),
      ...(others === 0 ? [] : [`and ${others} more`]),
    ];
    return facts.length === 0 ? who : `${who} (${facts.join(', ')})`;
  });
}

function forbidden(pending: number, error: unknown): MigrationRefused {
  const line =
    `the database lacks migrations (${pending}), and the role may not apply them: ` +
    'start once with the role of its owner';
  return new MigrationRefused('forbidden', line, { cause: causeOf(error) });
}
