import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from '../../db/connection-errors.ts';
import { statement, transaction, type Db, type Queryable } from '../../db/client.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Db;

beforeAll(async () => {
  database = await createDatabase(ownPlatform().databaseUrl);
  ({ db } = database);
});
afterAll(() => database.drop());

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('isDatabaseUnavailable', () => {
  const ways: [string, (work: (on: Queryable) => Promise<unknown>) => Promise<unknown>][] = [
    ['pool', (work) => work(db)],
    ['transaction', (work) => transaction(db, work)],
  ];
  it.each(ways)(
    'is true once for a statement prepared before a migration: on a %s',
    async (way, run) => {
      const table = `upgraded_${way}`;
      await db.query(`CREATE TABLE ${table} (a int)`);
      await db.query(`INSERT INTO ${table} VALUES (1)`);
      const all = statement<{ a: number }>(`test.${table}`, `SELECT * FROM ${table}`);
      const read = () => run((on) => all(on, []));
      expect(await read()).toEqual([{ a: 1 }]);
      await db.query(`ALTER TABLE ${table} ADD COLUMN b int DEFAULT 2`);
      const fault = await faultOf(read());
      expect(fault).toMatchObject({ code: '0A000' });
      expect(isDatabaseUnavailable(fault)).toBe(true);
      expect(await read()).toEqual([{ a: 1, b: 2 }]);
      expect(await read()).toEqual([{ a: 1, b: 2 }]);
    },
  );

  it('is true when a row lock outlasts the statement timeout', async () => {
    await db.query('CREATE TABLE held (a int)');
    await db.query('INSERT INTO held VALUES (1)');
    const holder = await db.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT * FROM held FOR UPDATE');
      const waiting = transaction(db, async (tx) => {
        await tx.query("SET LOCAL statement_timeout = '300ms'");
        await tx.query('UPDATE held SET a = 2');
      });
      const fault = await faultOf(waiting);
      expect(fault).toMatchObject({ code: '57014' });
      expect(isDatabaseUnavailable(fault)).toBe(true);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('is false for a query that PostgreSQL does not support', async () => {
    const fault = await faultOf(db.query('SELECT count(*) OVER () FROM pg_class FOR UPDATE'));
    expect(fault).toMatchObject({ code: '0A000' });
    expect(isDatabaseUnavailable(fault)).toBe(false);
  });
});
