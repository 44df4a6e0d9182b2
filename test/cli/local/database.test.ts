import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { administrationUrl, developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { randomIds } from '../../../db/ids.ts';
import { requireMigrated } from '../../../db/migrating/migrate.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const name = `made_${randomIds.bytes(6).toString('hex')}`;
// The platform uses these passwords; the commands set the same ones again.
const urls = developmentUrls(databaseUrl.replace(/[^/]+$/, name));
const addresses = {
  DATABASE_ADMIN_URL: administrationUrl(databaseUrl),
  MIGRATIONS_DATABASE_URL: urls.owner,
  API_DATABASE_URL: urls.api,
  WORKER_DATABASE_URL: urls.worker,
};
let directory: Awaited<ReturnType<typeof ownDirectory>>;
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(async () => {
  const admin = new pg.Client({ connectionString: administrationUrl(databaseUrl) });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
  await directory.remove();
});

const run = (words: string, env: Readonly<Record<string, string>>) =>
  commandHere(directory.path, words.split(' '), env);

describe('trustcheck migrate', () => {
  it('migrates a database that admin database create made, for both processes', async () => {
    const created = await run('admin database create', addresses);
    expect(created).toEqual({ code: 0, stdout: 'created\n', stderr: '' });
    const migrated = await run('migrate', { MIGRATIONS_DATABASE_URL: urls.owner });
    expect(migrated).toEqual({ code: 0, stdout: 'migrated\n', stderr: '' });
    await requireMigrated(urls.api);
    await requireMigrated(urls.worker);
    const again = await run('migrate', { MIGRATIONS_DATABASE_URL: urls.owner });
    expect(again).toEqual({ code: 0, stdout: 'migrated\n', stderr: '' });
  });

  it('refuses the database role of a process in one line', async () => {
    const client = new pg.Client({ connectionString: urls.owner });
    await client.connect();
    await client.query('REVOKE SELECT ON links FROM trustcheck_api');
    await client.end();
    const { code, stderr } = await run('migrate', { MIGRATIONS_DATABASE_URL: urls.api });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the role may not change the privileges of the processes .+\n$/);
  });

  it.each([
    ['migrate', 'MIGRATIONS_DATABASE_URL'],
    ['admin database create', 'WORKER_DATABASE_URL'],
  ])('%s names the missing database URL', async (words, variable) => {
    const { [variable]: _, ...rest } = addresses as Readonly<Record<string, string>>;
    expect(await run(words, rest)).toEqual({
      code: 1,
      stdout: '',
      stderr: `set ${variable} to a postgres:// address\n`,
    });
  });
});
