import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDatabaseAway } from '../../db/away.ts';
import { statement, transaction, type Db, type Queryable } from '../../db/client.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

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

describe('a statement prepared before a migration', () => {
  const ways: [string, (work: (on: Queryable) => Promise<unknown>) => Promise<unknown>][] = [
    ['pool', (work) => work(db)],
    ['transaction', (work) => transaction(db, work)],
  ];
  it.each(ways)('fails once as a database that is away: on a %s', async (way, run) => {
    const table = `upgraded_${way}`;
    await db.query(`CREATE TABLE ${table} (a int)`);
    await db.query(`INSERT INTO ${table} VALUES (1)`);
    const all = statement<{ a: number }>(`test.${table}`, `SELECT * FROM ${table}`);
    const read = () => run((on) => all(on, []));
    expect(await read()).toEqual([{ a: 1 }]);
    await db.query(`ALTER TABLE ${table} ADD COLUMN b int DEFAULT 2`);
    const fault = await faultOf(read());
    expect(fault).toMatchObject({ code: '0A000' });
    expect(isDatabaseAway(fault)).toBe(true);
    expect(await read()).toEqual([{ a: 1, b: 2 }]);
    expect(await read()).toEqual([{ a: 1, b: 2 }]);
  });

  it('is not taken for what the database does not support', async () => {
    const fault = await faultOf(db.query('SELECT count(*) OVER () FROM pg_class FOR UPDATE'));
    expect(fault).toMatchObject({ code: '0A000' });
    expect(isDatabaseAway(fault)).toBe(false);
  });
});
