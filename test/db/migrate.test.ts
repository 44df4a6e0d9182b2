import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../db/ids.ts';
import { migrate, requireMigrated } from '../../db/migrating/migrate.ts';
import { MigrationRefused } from '../../db/migrating/migration-refused.ts';
import { createDatabase, eventually } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { openSilentPostgres } from '../support/stand-ins/silent-postgres.ts';

const { databaseUrl } = ownPlatform();
const lock = 7_341_902_118;
const applied = 'drizzle.__drizzle_migrations';
const role = `role_${randomIds.bytes(6).toString('hex')}`;
const password = randomIds.bytes(12).toString('hex');
const left: (() => Promise<unknown>)[] = [];
let admin: pg.Client;

beforeAll(async () => {
  admin = await connect(databaseUrl);
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
});
afterAll(async () => {
  for (const undo of left.reverse()) await undo();
  await admin.query(`DROP ROLE ${role}`);
  await admin.end();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** A database without any migration. */
async function emptyDatabase(): Promise<string> {
  const name = `test_${randomIds.bytes(6).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name}`);
  left.push(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
  return databaseUrl.replace(/\/[^/]+$/, `/${name}`);
}

async function migratedDatabase(): Promise<string> {
  const { db, url, drop } = await createDatabase(databaseUrl);
  left.push(drop);
  await db.query(`GRANT CONNECT ON DATABASE ${new URL(url).pathname.slice(1)} TO ${role}`);
  return url;
}

/** The migrations of a later build: those of this build and one more. */
async function laterMigrations(sql: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trustcheck-migrations-'));
  left.push(() => rm(folder, { recursive: true }));
  const own = fileURLToPath(new URL('../../db/migrations', import.meta.url));
  await cp(own, folder, { recursive: true });
  const path = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { when: number }[] };
  const last = journal.entries.at(-1);
  const next = { ...last, when: (last?.when ?? 0) + 1, tag: 'next' };
  await writeFile(path, JSON.stringify({ ...journal, entries: [...journal.entries, next] }));
  await writeFile(join(folder, 'next.sql'), sql);
  return folder;
}

const asRole = (url: string): string => {
  const own = new URL(url);
  own.username = role;
  own.password = password;
  return own.href;
};

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = await connect(url);
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const countOf = async (url: string): Promise<number> =>
  (await ask<{ n: number }>(url, `SELECT count(*)::int AS n FROM ${applied}`))[0]?.n ?? 0;

const refusal = (reason: string, line: RegExp) =>
  expect.objectContaining({
    name: 'MigrationRefused',
    reason,
    message: expect.stringMatching(line),
  });

describe('a database that another process is migrating', () => {
  it('is migrated after a wait that is reported once', async () => {
    const url = await emptyDatabase();
    const other = await connect(url);
    await other.query(`SELECT pg_advisory_lock(${lock})`);
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const said: string[] = [];
    const patience = { sayAfterMs: 0, waitMsMax: 60_000 };
    const migrated = migrate(url, (line) => said.push(line), patience);
    await eventually('a word about it', async () => said.length > 0);
    await sleep(500);
    await other.end();
    await migrated;
    expect(said).toEqual([
      expect.stringMatching(
        /^another process is migrating the database since 20\S+Z \(PostgreSQL process \d+\); w/,
      ),
    ]);
    expect(said[0]).toContain(`process ${rows[0]?.pid})`);
    expect(await countOf(url)).toBeGreaterThan(0);
  });

  it('is refused in one line after the maximum wait, and stays unchanged', async () => {
    const url = await emptyDatabase();
    const other = await connect(url);
    await other.query(`SELECT pg_advisory_lock(${lock})`);
    const said: string[] = [];
    const patience = { sayAfterMs: 60_000, waitMsMax: 500 };
    await expect(migrate(url, (line) => said.push(line), patience)).rejects.toEqual(
      refusal('busy', /^another .+ since 20\S+Z .+; not waited for longer than 0\.5 s: .+$/),
    );
    await other.end();
    expect(said).toEqual([]);
    await expect(countOf(url)).rejects.toThrow('does not exist');
  });

  it('is not waited for when no migration is pending', async () => {
    const url = await migratedDatabase();
    const other = await connect(url);
    await other.query(`SELECT pg_advisory_lock(${lock})`);
    await migrate(url, undefined, { sayAfterMs: 0, waitMsMax: 0 });
    await other.end();
  });

  it('is migrated once by processes that start at the same time', async () => {
    const url = await emptyDatabase();
    await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
    expect(await countOf(url)).toBe(await countOf(databaseUrl));
  });
});

describe('a table that a long transaction reads', () => {
  const reads = 'SELECT FROM links';

  async function heldDatabase() {
    const url = await migratedDatabase();
    const migrationsFolder = await laterMigrations('ALTER TABLE links ADD COLUMN next text');
    const holder = new pg.Client({ connectionString: url, application_name: 'long-reader' });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(reads);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const who = `PostgreSQL process ${rows[0]?.pid} (long-reader, its transaction `;
    return { url, migrationsFolder, holder, who };
  }

  it('makes the migration retry: other readers go on, and each wait is reported', async () => {
    const { url, migrationsFolder, holder, who } = await heldDatabase();
    const before = await countOf(url);
    const said: string[] = [];
    const options = { migrationsFolder, lockMsMax: 250 };
    const migrated = migrate(url, (line) => said.push(line), options);
    await eventually('a word about it', async () => said.some((line) => line.startsWith(who)));
    // A reader queued behind the migration would never return: the holder keeps its lock.
    for (const { length } = said; said.length === length;) await ask(url, reads);
    await holder.query('ROLLBACK');
    await holder.end();
    await migrated;
    for (const line of said) {
      expect(line).toMatch(
        /^.+ holds what a migration of the database needs; trying again in \d\S* s, so .+$/,
      );
      expect(line).not.toContain(reads);
    }
    expect(await countOf(url)).toBeGreaterThan(before);
  });

  it('is refused in one line after the maximum wait, and stays unchanged', async () => {
    const { url, migrationsFolder, holder } = await heldDatabase();
    const before = await countOf(url);
    const patience = { migrationsFolder, lockMsMax: 250, waitMsMax: 0 };
    await expect(migrate(url, undefined, patience)).rejects.toEqual(
      refusal('busy', /^.+ needs; not waited for longer than 0 s: let it finish, or .+$/),
    );
    expect(await countOf(url)).toBe(before);
    await holder.end();
  });
});

const brief = { answerMsMax: 300 };
it.each([
  ['nothing', 'migrates', (url: string) => migrate(url, undefined, brief)],
  ['handshake', 'migrates', (url: string) => migrate(url, undefined, brief)],
  ['handshake', 'only looks', (url: string) => requireMigrated(url, brief)],
] as const)(
  'a server that says %s and then falls silent is refused by a process that %s',
  async (says, _, start) => {
    const { url, stop } = await openSilentPostgres(says);
    await expect(start(url)).rejects.toEqual(
      refusal('silent', /^the database at 127\.0\.0\.1:\d+\/x does not answer: .+ 0\.3 s; .+$/),
    );
    await stop();
  },
);

describe.each([
  ['a newer build', 'newer', '2100-01-01', /; start that build$/],
  ['another build', 'other', '2020-01-01', /; start that build, or one that came after both$/],
] as const)('a database that %s has migrated', (who, reason, date, way) => {
  it.each([
    ['migrates', migrate],
    ['only looks', requireMigrated],
  ])('is refused in one line by a process that %s, and stays unchanged', async (_what, start) => {
    const url = await migratedDatabase();
    const ours = `SELECT max(created_at) FROM ${applied}`;
    // An older migration is the latest one only where newer ones of this build are not applied.
    if (reason === 'other') await ask(url, `DELETE FROM ${applied}`);
    const at = `extract(epoch FROM '${date}Z'::timestamptz) * 1000`;
    await ask(url, `INSERT INTO ${applied} (hash, created_at) VALUES ('x', ${at})`);
    const before = await ask(url, ours);
    const line = new RegExp(
      `^${who} has migrated the database: .+ of ${date}T.+, is unknown to this build, .+$`,
    );
    await expect(start(url)).rejects.toEqual(refusal(reason, line));
    await expect(start(url)).rejects.toThrow(way);
    expect(await ask(url, ours)).toEqual(before);
  });
});

describe('requireMigrated', () => {
  it('neither migrates nor waits, and reports the pending migrations', async () => {
    const url = await emptyDatabase();
    const other = await connect(url);
    await other.query(`SELECT pg_advisory_lock(${lock})`);
    await expect(requireMigrated(url)).rejects.toEqual(
      refusal('pending', /^the database lacks migrations \(\d+\): run "trustcheck migrate" .+$/),
    );
    await other.end();
    await expect(countOf(url)).rejects.toThrow('does not exist');
  });

  it('reports a missing privilege to read', async () => {
    const url = asRole(await migratedDatabase());
    await expect(requireMigrated(url)).rejects.toEqual(
      refusal('forbidden', /^.+grant it USAGE.+$/),
    );
  });
});

describe('migrate as a role without the right to create', () => {
  it('succeeds when no migration is pending', async () => {
    const url = await migratedDatabase();
    await expect(migrate(asRole(url))).rejects.toEqual(
      refusal('forbidden', /^.+grant it USAGE.+$/),
    );
    await ask(
      url,
      `GRANT USAGE ON SCHEMA drizzle TO ${role}; GRANT SELECT ON ${applied} TO ${role}`,
    );
    await migrate(asRole(url));
  });

  it('reports the pending migrations', async () => {
    const url = await emptyDatabase();
    const refused = await migrate(asRole(url)).catch((error: unknown) => error);
    expect(refused).toEqual(refusal('forbidden', /^the database lacks migrations \(\d+\), .+$/));
    expect(refused instanceof MigrationRefused && refused.cause).toBeInstanceOf(pg.DatabaseError);
  });
});

it('a migration ignores the statement timeout of its database', async () => {
  const url = await emptyDatabase();
  const name = new URL(url).pathname.slice(1);
  await admin.query(`ALTER DATABASE ${name} SET statement_timeout = 300`);
  const other = await connect(url);
  // An open transaction creates what the migrator wants to create, so the migrator waits.
  await other.query('BEGIN; CREATE SCHEMA drizzle');
  const migrated = migrate(url);
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}'
    AND wait_event_type = 'Lock' AND now() - query_start > interval '600 ms'`;
  const waits = eventually('a long statement', async () => (await admin.query(waiting)).rowCount);
  // With the timeout, the migration would fail here.
  await Promise.race([migrated, waits]);
  await other.query('ROLLBACK');
  await other.end();
  await migrated;
  expect(await countOf(url)).toBeGreaterThan(0);
});
