import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administrationUrl, developmentUrls } from '../../cli/data-directory/database-urls.ts';
import { startPostgres, type RunningPostgres } from '../../cli/platform/postgres.ts';
import { createDatabase, DatabaseRefused } from '../../db/migrating/create-database.ts';
import { migrate } from '../../db/migrating/migrate.ts';
import { ownDirectory } from '../support/commands/run-command.ts';
import { endWithUs } from '../support/platform/end-with-us.ts';

let directory: Awaited<ReturnType<typeof ownDirectory>>;
/** Its own server: roles belong to a server, not to a database. */
let server: RunningPostgres;

beforeAll(async () => {
  directory = await ownDirectory();
  const dataDir = `${directory.path}/postgres`;
  const logFile = `${directory.path}/postgres.log`;
  server = await startPostgres({ dataDir, logFile, isThrowaway: true, onSpawn: endWithUs });
});
afterAll(async () => {
  await server.stop();
  await directory.remove();
});

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const who = 'SELECT current_user::text AS name, current_database() AS database';
const urlsAt = (database: string) => developmentUrls(server.url.replace(/[^/]+$/, database));

describe('createDatabase', () => {
  it('creates the missing roles and database for an administrator who is not a superuser', async () => {
    const admin = new URL(administrationUrl(server.url));
    const plain = new URL(admin);
    plain.username = 'administrator';
    plain.password = 'a-password';
    await ask(admin.href, 'DROP DATABASE trustcheck');
    await ask(admin.href, 'DROP ROLE trustcheck, trustcheck_api, trustcheck_worker');
    await ask(
      admin.href,
      "CREATE ROLE administrator LOGIN CREATEROLE CREATEDB PASSWORD 'a-password'",
    );
    const urls = urlsAt('first');
    await createDatabase(plain.href, urls);
    await migrate(urls.owner);
    for (const [role, name] of [
      ['owner', 'trustcheck'],
      ['api', 'trustcheck_api'],
      ['worker', 'trustcheck_worker'],
    ] as const) {
      expect(await ask(urls[role], who)).toEqual([{ name, database: 'first' }]);
    }
  });

  it('resets the passwords when it is repeated, and keeps the database', async () => {
    const urls = urlsAt('first');
    const renewed = { ...urls, api: urls.api.replace(/:[^:@]+@/, ':another@') };
    await createDatabase(administrationUrl(server.url), renewed);
    await expect(ask(urls.api, who)).rejects.toThrow('password authentication failed');
    expect(await ask(renewed.api, 'SELECT count(*)::int AS n FROM links')).toEqual([{ n: 0 }]);
    await createDatabase(administrationUrl(server.url), urls);
  });

  it('refuses a database that belongs to another role, and names the command to change that', async () => {
    await ask(administrationUrl(server.url), 'CREATE DATABASE others');
    await expect(createDatabase(administrationUrl(server.url), urlsAt('others'))).rejects.toThrow(
      'the database others belongs to postgres: run ALTER DATABASE "others" OWNER TO trustcheck',
    );
  });

  it('refuses a role that has more rights than it needs', async () => {
    await ask(administrationUrl(server.url), 'ALTER ROLE trustcheck_api CREATEDB BYPASSRLS');
    await expect(createDatabase(administrationUrl(server.url), urlsAt('first'))).rejects.toThrow(
      'the role trustcheck_api has too many rights (rolcreatedb, rolbypassrls)',
    );
    await ask(administrationUrl(server.url), 'ALTER ROLE trustcheck_api NOCREATEDB NOBYPASSRLS');
  });

  it.each([
    ['another role', 'postgres://somebody:x@127.0.0.1/first'],
    ['no password', 'postgres://trustcheck_api@127.0.0.1/first'],
  ])('refuses an address with %s', async (_, api) => {
    const urls = { ...urlsAt('first'), api };
    await expect(createDatabase(administrationUrl(server.url), urls)).rejects.toBeInstanceOf(
      DatabaseRefused,
    );
  });

  it('leaves no password in the log of a server that logs every statement', async () => {
    const urls = urlsAt('first');
    await ask(administrationUrl(server.url), "ALTER SYSTEM SET log_statement = 'all'");
    await ask(administrationUrl(server.url), 'SELECT pg_reload_conf()');
    await createDatabase(administrationUrl(server.url), urls);
    const log = await readFile(`${directory.path}/postgres.log`, 'utf8');
    expect(log).toContain('ALTER ROLE trustcheck_api');
    for (const url of Object.values(urls)) expect(log).not.toContain(new URL(url).password);
  });
});

it('migrate refuses a server without the roles, and names the missing one', async () => {
  const admin = administrationUrl(server.url);
  await ask(admin, 'ALTER ROLE trustcheck_worker RENAME TO moved');
  await expect(migrate(urlsAt('first').owner)).rejects.toEqual(
    expect.objectContaining({
      name: 'MigrationRefused',
      reason: 'roles',
      message: expect.stringMatching(
        /lacks the role trustcheck_worker: create it with "trustcheck/,
      ),
    }),
  );
  await ask(admin, 'ALTER ROLE moved RENAME TO trustcheck_worker');
});
