import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { openDb, sharing, statement, transaction, type Db } from '../../../db/client.ts';
import { findLink } from '../../../db/queries/links.ts';
import { inAccount, inOpenScope } from '../../../db/rights/account-scope.ts';
import { rowPolicies, scopedViews } from '../../../db/rights/row-policies.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { addRow, type RowOf } from './tenant-rows.ts';

const accounts: readonly [RowOf, RowOf] = [
  { accountId: 1, text: 'one' },
  { accountId: 2, text: 'two' },
];
const [one, two] = accounts;
const tables = Object.keys(rowPolicies).filter((name) => rowPolicies[name]?.using);

let url: string;
let drop: () => Promise<void>;
/** A superuser's connection, which no policy limits. */
let admin: pg.Client;
/** Connections of the role of the API. */
let client: pg.Client;
let db: Db;

async function connect(as: 'api' | 'worker' | 'owner'): Promise<pg.Client> {
  const connected = new pg.Client({ connectionString: developmentUrls(url)[as] });
  await connected.connect();
  return connected;
}

beforeAll(async () => {
  ({ url, drop } = await createDatabase(ownPlatform().databaseUrl));
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  // Rows without their parents, and without the rows that triggers would add.
  await admin.query("SET session_replication_role = 'replica'");
  for (const table of tables) for (const account of accounts) await addRow(admin, table, account);
  for (const table of tables) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  // Privileges hide what a policy lets through.
  await admin.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO trustcheck_api');
  client = await connect('api');
  db = openDb(
    {
      url: developmentUrls(url).api,
      connectionsMax: 1,
      applicationName: 'test',
      isAccountScoped: true,
    },
    () => undefined,
  );
});
afterAll(async () => {
  await db.end();
  await client.end();
  await admin.end();
  await drop();
});

const isolated = expect.objectContaining({
  code: '42501',
  message: expect.stringContaining('row-level security'),
});

/** Runs a statement in an account and rolls it back; null: without the setting. */
async function attempt(account: string | null, work: () => Promise<pg.QueryResult>) {
  await client.query('BEGIN');
  try {
    if (account !== null) {
      await client.query("SELECT set_config('trustcheck.account_id', $1, true)", [account]);
    }
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

async function countIn(account: string | null, sql: string): Promise<number | null> {
  return (await attempt(account, () => client.query(sql))).rowCount;
}

async function keyOf(table: string): Promise<string> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = '' ORDER BY attnum LIMIT 1`,
    [table],
  );
  return rows[0]?.name ?? '';
}

describe.each(tables)('rows of %s', (table) => {
  it('exist for two accounts', async () => {
    expect((await admin.query(`SELECT FROM ${table}`)).rowCount).toBe(2);
  });

  it.each([null, '', '0', 'x'])('are not accessible with the setting %j', async (account) => {
    const key = await keyOf(table);
    expect(await countIn(account, `SELECT FROM ${table}`)).toBe(0);
    expect(await countIn(account, `UPDATE ${table} SET ${key} = ${key}`)).toBe(0);
    expect(await countIn(account, `DELETE FROM ${table}`)).toBe(0);
    for (const given of accounts) {
      await expect(
        attempt(account, () => addRow(client, table, { ...given, text: 'more' })),
      ).rejects.toEqual(isolated);
    }
  });

  it('are limited to the account of the setting', async () => {
    const key = await keyOf(table);
    const account = String(one.accountId);
    expect(await countIn(account, `SELECT FROM ${table}`)).toBe(1);
    expect(await countIn(account, `UPDATE ${table} SET ${key} = ${key}`)).toBe(1);
    expect(await countIn(account, `DELETE FROM ${table}`)).toBe(1);
    await expect(attempt(account, () => addRow(client, table, two))).rejects.toEqual(isolated);
  });

  it('are all visible to the platform, the workers and the owner', async () => {
    expect(await countIn('any', `SELECT FROM ${table}`)).toBe(2);
    for (const as of ['worker', 'owner'] as const) {
      const other = await connect(as);
      const { rows } = await admin.query<{ may: boolean }>(
        "SELECT has_table_privilege($1, $2, 'SELECT') AS may",
        [as === 'owner' ? 'trustcheck' : 'trustcheck_worker', table],
      );
      if (rows[0]?.may) expect((await other.query(`SELECT FROM ${table}`)).rowCount).toBe(2);
      await other.end();
    }
  });
});

describe.each(Object.keys(scopedViews))('rows of the view %s', (view) => {
  it('are limited to the account of the setting', async () => {
    for (const [account, count] of [
      [null, 0],
      ['', 0],
      ['1', 1],
      ['any', 2],
    ] as const) {
      expect(await countIn(account, `SELECT FROM ${view}`)).toBe(count);
    }
  });
});

describe('searches of the API', () => {
  it.each([
    ['links_search', `SELECT FROM listed_links WHERE words_blind @> '{a}'`],
    ['meetings_names', `SELECT FROM named_meetings WHERE names_blind @> '{a}'`],
    ['trust_checks_names', `SELECT FROM listed_trust_checks WHERE names_blind @> '{a}'`],
  ])('apply the whole condition in the index %s', async (index, sql) => {
    const { rows } = await attempt('1', async () => {
      await client.query('SET LOCAL enable_seqscan = off');
      return client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`);
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).toMatch(/Index Cond: .*@>/);
  });
});

describe('a pool of the API', () => {
  const byText = 'SELECT link_uuid FROM links ORDER BY link_uuid';
  interface Found {
    readonly link_uuid: string;
  }
  const list = statement<Found>('test.links', byText);
  const share = sharing<Found>('test.shared_links', byText, 'read');
  const idsOf = (rows: readonly Found[]): string[] => rows.map(({ link_uuid: id }) => id);

  it('reads no row of an account outside an account scope', async () => {
    expect(await list(db, [])).toEqual([]);
    expect(await transaction(db, (tx) => list(tx, []))).toEqual([]);
    expect(await inOpenScope(() => list(db, []))).toEqual([]);
  });

  it('limits a statement without a condition on the account', async () => {
    expect(idsOf(await inAccount(1, () => list(db, [])))).toEqual(['one']);
    expect(await inAccount(1, () => findLink(db, 'two'))).toBeNull();
    expect(await inAccount(2, () => findLink(db, 'two'))).toMatchObject({ account_id: 2 });
  });

  it('leaves no setting on the connection', async () => {
    await inAccount(1, () => list(db, []));
    await inAccount(1, () => transaction(db, (tx) => list(tx, [])));
    await expect(
      inAccount(1, () =>
        transaction(db, async (tx) => {
          await list(tx, []);
          throw new Error('rolled back');
        }),
      ),
    ).rejects.toThrow('rolled back');
    const { rows } = await db.query(
      `SELECT current_setting('trustcheck.account_id', true) AS held`,
    );
    expect(rows).toEqual([{ held: '' }]);
    expect(await list(db, [])).toEqual([]);
  });

  it('keeps apart the accounts of statements that share a connection', async () => {
    const asked = [1, 2, null, 2, 1].map((account) =>
      account === null ? share(db, []) : inAccount(account, () => share(db, [])),
    );
    const found = await Promise.all(asked);
    expect(found.map(idsOf)).toEqual([['one'], ['two'], [], ['two'], ['one']]);
  });

  it('continues in the account of the object that a look-up found', async () => {
    const found = await inOpenScope(async () => {
      const before = await list(db, []);
      await findLink(db, 'two');
      return [before, await list(db, []), await transaction(db, (tx) => list(tx, []))].map(idsOf);
    });
    expect(found).toEqual([[], ['two'], ['two']]);
  });

  it('refuses to write a row of another account', async () => {
    const move = statement('test.move_link', 'UPDATE links SET account_id = 2');
    await expect(inAccount(1, () => move(db, []))).rejects.toEqual(isolated);
  });
});
