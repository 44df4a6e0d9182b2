import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedStatements } from '../../../db/client.ts';
import { isListed, lookups, spanning } from '../../../db/rights/account-lookups.ts';
import { databaseRoles } from '../../../db/rights/roles.ts';
import { rowPolicies, scopedViews } from '../../../db/rights/row-policies.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { reachedStatements } from './statements.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Tables with an account_id that belong to a person. */
const ofPersons = ['sessions'];

let drop: () => Promise<void>;
/** A superuser's connection. */
let admin: pg.Client;

beforeAll(async () => {
  const made = await createDatabase(ownPlatform().databaseUrl);
  drop = made.drop;
  admin = new pg.Client({ connectionString: made.url });
  await admin.connect();
  const declares = /\b(?:statement|sharing)(?:<[^(]*>)?\(/;
  for (const file of globSync('{db,api,activities}/**/*.ts', { cwd: root })) {
    if (declares.test(readFileSync(`${root}${file}`, 'utf8'))) await import(`${root}${file}`);
  }
});
afterAll(async () => {
  await admin.end();
  await drop();
});

async function names(sql: string): Promise<string[]> {
  return (await admin.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}

const withPolicy = Object.keys(rowPolicies).filter((table) => rowPolicies[table]?.using);

describe('db/rights/row-policies.ts', () => {
  it('has a row for each table, and no other', async () => {
    const tables = await names(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(Object.keys(rowPolicies).sort()).toEqual(tables.sort());
  });

  it('has a policy for each table with an account_id', async () => {
    const tables = await names(
      `SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attname = 'account_id'`,
    );
    const without = tables.filter((table) => !withPolicy.includes(table));
    expect(without).toEqual(ofPersons);
  });

  it('has a reason for each table without a policy', () => {
    const unexplained = Object.entries(rowPolicies).filter(
      ([, { using, reason = '' }]) => using === null && reason === '',
    );
    expect(unexplained).toEqual([]);
  });

  it('lists the tables that force row-level security', async () => {
    const forced = await names(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
         AND relrowsecurity AND relforcerowsecurity`,
    );
    expect(forced.sort()).toEqual(withPolicy.sort());
  });

  it('lists the policies of the database', async () => {
    const wanted: object[] = [];
    await admin.query('BEGIN');
    for (const table of withPolicy) {
      // PostgreSQL prints a condition in its own form.
      const using = rowPolicies[table]?.using?.(table) ?? '';
      await admin.query(`CREATE POLICY wanted ON ${table} USING (${using})`);
      const [qual] = await names(
        `SELECT qual AS name FROM pg_policies
         WHERE tablename = '${table}' AND policyname = 'wanted'`,
      );
      const all = { table, cmd: 'ALL', permissive: 'PERMISSIVE', with_check: null };
      const others = [databaseRoles.owner, databaseRoles.worker];
      wanted.push(
        { ...all, name: 'account', roles: [databaseRoles.api], qual },
        { ...all, name: 'every_account', roles: others, qual: 'true' },
      );
    }
    await admin.query('ROLLBACK');
    const { rows } = await admin.query(
      `SELECT tablename AS table, policyname AS name, permissive, roles::text[], cmd, qual, with_check
       FROM pg_policies ORDER BY 1, 2`,
    );
    expect(rows).toEqual(wanted);
  });
});

describe('views of tenant tables', () => {
  it('have the condition of their table, for roles limited by a policy', async () => {
    const wanted: object[] = [];
    await admin.query('BEGIN');
    for (const [view, table] of Object.entries(scopedViews)) {
      const [listed] = await names(
        `SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) AS name
         FROM information_schema.columns WHERE table_name = '${view}'`,
      );
      await admin.query(
        `CREATE VIEW wanted AS SELECT ${listed} FROM ${table}
         WHERE ${rowPolicies[table]?.using?.(table)} OR NOT row_security_active('${table}')`,
      );
      wanted.push({ view, text: (await names("SELECT pg_get_viewdef('wanted') AS name"))[0] });
      await admin.query('DROP VIEW wanted');
    }
    await admin.query('ROLLBACK');
    const { rows } = await admin.query(
      `SELECT relname AS view, pg_get_viewdef(oid) AS text FROM pg_class
       WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(rows).toEqual(wanted);
  });

  // `SELECT *` stands for the columns of the table when the view was created.
  it.each(Object.entries(scopedViews).filter(([view]) => view.startsWith('listed_')))(
    'have every column of their table: %s',
    async (view, table) => {
      const [ofView, ofTable] = await Promise.all([view, table].map(columnsOf));
      expect(ofView).toEqual(ofTable);
    },
  );
});

const columnsOf = (relation: string): Promise<string[]> =>
  names(
    `SELECT format('%s %s', attname, format_type(atttypid, atttypmod)) AS name FROM pg_attribute
     WHERE attrelid = '${relation}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  );

/** Runs a statement without matching rows, and returns the names of its columns. */
async function fieldsOf(text: string): Promise<string[]> {
  await admin.query('BEGIN');
  try {
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, at]) => Number(at)));
    const { fields } = await admin.query(text, Array<null>(count).fill(null));
    return fields.map(({ name }) => name);
  } finally {
    await admin.query('ROLLBACK');
  }
}

describe('db/rights/account-lookups.ts', () => {
  const listed = { ...lookups, ...spanning };
  const mentionsTenants = (text: string): boolean =>
    withPolicy.some((table) => new RegExp(`\\b${table}\\b`).test(text));

  it('lists only statements that the API reaches and that read tenant tables', async () => {
    const reached = new Set(await reachedStatements('api/main.ts'));
    const unneeded = Object.keys(listed).filter(
      (name) => !reached.has(name) || !mentionsTenants(preparedStatements.get(name) ?? ''),
    );
    expect(unneeded).toEqual([]);
  });

  it('lists as look-ups only statements that return an account', async () => {
    for (const name of Object.keys(lookups)) {
      expect(await fieldsOf(preparedStatements.get(name) ?? ''), name).toContain('account_id');
    }
  });

  it('gives a reason for each', () => {
    expect(Object.values(listed).filter((reason) => reason === '')).toEqual([]);
    expect(Object.keys(lookups).filter((name) => name in spanning)).toEqual([]);
  });

  it("lists less than a quarter of the API's statements on tenant tables", async () => {
    const asked = (await reachedStatements('api/main.ts')).filter((name) =>
      mentionsTenants(preparedStatements.get(name) ?? ''),
    );
    expect(asked.length).toBeGreaterThan(150);
    expect(asked.filter(isListed).length).toBeLessThan(asked.length / 4);
  });
});
