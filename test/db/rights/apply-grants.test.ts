import { afterAll, beforeAll, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import type { Db } from '../../../db/client.ts';
import { migrate } from '../../../db/migrating/migrate.ts';
import { databaseRoles } from '../../../db/rights/roles.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { api } = databaseRoles;
let db: Db;
let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(() => drop());

async function held(): Promise<unknown> {
  const { rows } = await db.query(
    `SELECT has_table_privilege($1, 'audit_rows', 'UPDATE') AS audit_rows,
       has_column_privilege($1, 'audit_heads', 'seq', 'UPDATE') AS seq,
       has_column_privilege($1, 'audit_heads', 'checkpoints', 'UPDATE') AS checkpoints,
       has_table_privilege($1, 'links', 'SELECT') AS links,
       has_function_privilege($1, 'audit_refuse()', 'EXECUTE') AS execute`,
    [api],
  );
  return rows[0];
}
const wanted = { audit_rows: false, seq: true, checkpoints: false, links: true, execute: false };

it('restores changed privileges, and does not touch correct ones', async () => {
  await db.query(
    `GRANT UPDATE ON audit_rows TO PUBLIC; GRANT UPDATE ON audit_heads TO ${api};
     REVOKE ALL ON links FROM ${api}; GRANT EXECUTE ON FUNCTION audit_refuse() TO PUBLIC`,
  );
  expect(await held()).not.toEqual(wanted);
  await migrate(developmentUrls(url).owner);
  expect(await held()).toEqual(wanted);
  const versions = async () => (await db.query('SELECT xmin FROM pg_class ORDER BY oid')).rows;
  const before = await versions();
  await migrate(developmentUrls(url).owner);
  expect(await versions()).toEqual(before);
});

it('leaves the privileges of other roles as they are', async () => {
  await db.query('GRANT SELECT ON links TO pg_monitor');
  await migrate(developmentUrls(url).owner);
  const { rows } = await db.query(
    "SELECT has_table_privilege('pg_monitor', 'links', 'SELECT') AS may",
  );
  expect(rows).toEqual([{ may: true }]);
});

it('fails for a role that owns nothing, and names the first difference', async () => {
  await db.query(`REVOKE SELECT ON links FROM ${api}`);
  await expect(migrate(developmentUrls(url).api)).rejects.toEqual(
    expect.objectContaining({
      name: 'MigrationRefused',
      reason: 'forbidden',
      message: expect.stringMatching(/may not change the privileges .+ ON TABLE public\.links /),
    }),
  );
  await migrate(developmentUrls(url).owner);
});
