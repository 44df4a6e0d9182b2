import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { preparedStatements, type Db } from '../../../db/client.ts';
import { privilegesIn } from '../../../db/migrating/apply-grants.ts';
import {
  functionGrants,
  schemaGrants,
  sequenceGrants,
  tableGrants,
} from '../../../db/rights/grants.ts';
import { databaseRoles } from '../../../db/rights/roles.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { reachedStatements } from './statements.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const entries = { api: 'api/main.ts', worker: 'workers/main.ts' } as const;
type Process = keyof typeof entries;
const processes = ['api', 'worker'] as const;

/** Statements of the rate limiter library on `rate_limits`. */
const libraryStatements: Readonly<Record<Process, readonly string[]>> = {
  api: [
    `INSERT INTO rate_limits VALUES ('k', 1, 1) ON CONFLICT (key) DO UPDATE SET points = 1,
       expire = 1 RETURNING points, expire`,
    'DELETE FROM rate_limits WHERE expire < 1',
  ],
  worker: [],
};
/** Read by statements with composed names, which `reachedStatements` leaves out. */
const composed: readonly string[] = [
  'public.log_entries',
  'public.log_totals',
  'public.named_meetings',
  'public.listed_links',
];

let db: Db;
let url: string;
let drop: () => Promise<void>;
/** A superuser's connection, for statements that must share one connection. */
let admin: pg.Client;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const declares = /\b(?:prepare|statement|sharing)(?:<[^(]*>)?\(/;
  const files = globSync('{db,api,activities,workers}/**/*.ts', { cwd: root });
  for (const file of files) {
    if (declares.test(readFileSync(`${root}${file}`, 'utf8'))) await import(`${root}${file}`);
  }
});
afterAll(async () => {
  await admin.end();
  await drop();
});

async function names(sql: string, values: readonly unknown[] = []): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(sql, [...values]);
  return rows.map(({ name }) => name);
}

/** Excludes the objects of extensions, with deptype `e`. */
const notOfExtension = (oid: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = ${oid} AND e.deptype = 'e')`;

const tables = (kinds = "'r'") =>
  names(`SELECT format('%I.%I', nspname, relname) AS name
         FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
         WHERE relkind IN (${kinds}) AND nspname IN ('public', 'drizzle') ORDER BY 1`);
const tablesAndViews = () => tables("'r', 'v'");

describe('db/rights/grants.ts', () => {
  it('has a row for each table and view, and no other', async () => {
    expect(Object.keys(tableGrants).sort()).toEqual((await tablesAndViews()).sort());
  });

  it.each(processes)('lists what the role of the %s may do on each table', async (process) => {
    const role = databaseRoles[process];
    for (const table of await tablesAndViews()) {
      const held = await names(
        `SELECT p AS name FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE',
           'REFERENCES', 'TRIGGER', 'MAINTAIN']) p WHERE has_table_privilege($1, $2, p)
         UNION ALL
         SELECT format('%s (%s)', p, attname) FROM pg_attribute,
           unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) p
         WHERE attrelid = $2::regclass AND attnum > 0 AND NOT attisdropped
           AND has_column_privilege($1, attrelid, attnum, p)
           AND NOT has_table_privilege($1, attrelid, p)`,
        [role, table],
      );
      expect(held.sort(), table).toEqual(privilegesIn(tableGrants[table]?.[process] ?? '').sort());
    }
  });

  it.each(processes)('lists what the role of the %s may do on other objects', async (process) => {
    const role = databaseRoles[process];
    const held = [
      ...(await names(
        `SELECT privilege || ' ' || format('%I.%I', schemaname, sequencename) AS name
         FROM pg_sequences, unnest(ARRAY['USAGE', 'SELECT', 'UPDATE']) privilege
         WHERE has_sequence_privilege($1, format('%I.%I', schemaname, sequencename), privilege)`,
        [role],
      )),
      ...(await names(
        `SELECT format('EXECUTE public.%s', p.oid::regprocedure) AS name FROM pg_proc p
         WHERE pronamespace = 'public'::regnamespace AND ${notOfExtension('p.oid')}
           AND has_function_privilege($1, p.oid, 'EXECUTE')`,
        [role],
      )),
      ...(await names(
        `SELECT privilege || ' ' || nspname AS name
         FROM pg_namespace, unnest(ARRAY['USAGE', 'CREATE']) privilege
         WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
           AND has_schema_privilege($1, oid, privilege)`,
        [role],
      )),
      ...(await names(
        `SELECT privilege AS name FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) privilege
         WHERE has_database_privilege($1, current_database(), privilege)`,
        [role],
      )),
    ];
    const wanted = [sequenceGrants, functionGrants, schemaGrants].flatMap((grants) =>
      Object.entries(grants).flatMap(([name, given]) =>
        privilegesIn(given[process]).map((privilege) => `${privilege} ${name}`),
      ),
    );
    expect(held.sort()).toEqual([...wanted, 'CONNECT'].sort());
  });
});

describe('the roles', () => {
  it('have no attribute, own nothing and are in no other role', async () => {
    const roles = Object.values(databaseRoles);
    const { rows } = await db.query(
      `SELECT rolname FROM pg_roles WHERE rolname = ANY ($1) AND rolcanlogin
         AND NOT (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)`,
      [roles],
    );
    expect(rows).toHaveLength(roles.length);
    const own = await names(
      `SELECT s.classid::regclass || ' ' || s.objid AS name FROM pg_shdepend s
       WHERE deptype = 'o' AND refobjid = ANY (SELECT oid FROM pg_roles WHERE rolname = ANY ($1))`,
      [processes.map((process) => databaseRoles[process])],
    );
    expect(own).toEqual([]);
    const memberOf = await names(
      `SELECT roleid::regrole::text AS name FROM pg_auth_members
       WHERE member = ANY (SELECT oid FROM pg_roles WHERE rolname = ANY ($1))`,
      [roles],
    );
    expect(memberOf).toEqual([]);
  });

  it('cannot run a function that the owner adds later', async () => {
    const owner = new pg.Client({ connectionString: developmentUrls(url).owner });
    await owner.connect();
    await owner.query('CREATE FUNCTION added() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
    const { rows } = await owner.query<{ may: boolean }>(
      `SELECT has_function_privilege(r, 'added()', 'EXECUTE') AS may FROM unnest($1::text[]) r`,
      [processes.map((process) => databaseRoles[process])],
    );
    await owner.query('DROP FUNCTION added()');
    await owner.end();
    expect(rows).toEqual([{ may: false }, { may: false }]);
  });
});

/** Whether a role may run a statement: PostgreSQL checks privileges before it returns a plan. */
async function mayRun(role: string, text: string): Promise<boolean> {
  await admin.query(`SET ROLE ${role}`);
  try {
    await admin.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42501') return false;
    throw error;
  } finally {
    await admin.query('RESET ROLE');
  }
}

async function textsOf(process: Process): Promise<Map<string, string>> {
  const reached = await reachedStatements(entries[process]);
  const texts = new Map(libraryStatements[process].map((text) => [text, text]));
  for (const name of reached) texts.set(name, preparedStatements.get(name) ?? '');
  return texts;
}

describe.each(processes)('the statements of the %s', (process) => {
  const role = databaseRoles[process];

  it('are all allowed to its role', async () => {
    const texts = await textsOf(process);
    expect(texts.size).toBeGreaterThan(150);
    const refused: string[] = [];
    for (const [name, text] of texts) {
      expect(text, name).not.toBe('');
      if (!(await mayRun(role, text))) refused.push(name);
    }
    expect(refused).toEqual([]);
  });

  it('need every privilege of its role', async () => {
    const texts = [...(await textsOf(process)).values()];
    const unneeded: string[] = [];
    for (const [table, grants] of Object.entries(tableGrants)) {
      const [schema, name = ''] = table.split('.');
      if (schema !== 'public' || composed.includes(table)) continue;
      const using = texts.filter((text) => new RegExp(`\\b${name}\\b`).test(text));
      for (const privilege of privilegesIn(grants[process])) {
        await admin.query(`REVOKE ${privilege} ON ${table} FROM ${role}`);
        let isNeeded = false;
        for (const text of using) isNeeded ||= !(await mayRun(role, text));
        await admin.query(`GRANT ${privilege} ON ${table} TO ${role}`);
        if (!isNeeded) unneeded.push(`${privilege} ON ${table}`);
      }
    }
    expect(unneeded).toEqual([]);
  }, 120_000);
});

describe.each(processes)('a connection of the role of the %s', (process) => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: developmentUrls(url)[process] });
    await client.connect();
  });
  afterAll(() => client.end());

  const refused = expect.objectContaining({ code: '42501' });
  const addedOnly = [
    'audit_rows',
    'events',
    'timestamps',
    'transparency_checkpoints',
    'transparency_cosignatures',
    'transparency_entries',
    'transparency_nodes',
  ];

  it.each([
    'CREATE TABLE more (id int)',
    'CREATE TEMPORARY TABLE more (id int)',
    'CREATE SCHEMA more',
    "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    'CREATE EXTENSION citext',
    'ALTER TABLE links ADD COLUMN more int',
    'ALTER TABLE audit_rows DISABLE TRIGGER ALL',
    'DROP TABLE links',
    'CREATE INDEX more ON links (title)',
    'DROP FUNCTION audit_refuse() CASCADE',
    "SET session_replication_role = 'replica'",
    'SET ROLE trustcheck',
    `GRANT SELECT ON links TO PUBLIC`,
    "COPY links TO PROGRAM 'true'",
  ])('is refused %s', async (sql) => {
    // GRANT on an object of another owner is only a warning for a role with a privilege on it.
    const failure = await client.query(sql).catch((error: unknown) => error);
    if (sql.startsWith('GRANT')) {
      const held = await names(
        `SELECT table_name AS name FROM information_schema.role_table_grants
         WHERE grantee = 'PUBLIC' AND table_schema = 'public'`,
      );
      expect(held).toEqual([]);
    } else expect(failure).toEqual(refused);
  });

  it('is refused TRUNCATE of each table', async () => {
    for (const table of await tables()) {
      await expect(client.query(`TRUNCATE ${table}`), table).rejects.toEqual(refused);
    }
  });

  it.each(addedOnly)('neither changes nor removes a row of %s', async (table) => {
    const [column = ''] = await names(
      'SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 1',
      [table],
    );
    await expect(client.query(`UPDATE ${table} SET ${column} = ${column}`)).rejects.toEqual(
      refused,
    );
    await expect(client.query(`DELETE FROM ${table}`)).rejects.toEqual(refused);
  });

  it('cannot read a table that its process does not need', async () => {
    for (const [table, grants] of Object.entries(tableGrants)) {
      if (grants[process].includes('SELECT')) continue;
      await expect(client.query(`SELECT FROM ${table}`), table).rejects.toEqual(refused);
    }
  });
});
