import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDb, sharing, statement, transaction, type Db } from '../../db/client.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

interface Place {
  readonly pid: number;
  readonly at: Date;
}

let database: Awaited<ReturnType<typeof createDatabase>>;
let db: Db;
/** How often the client wrote to the database socket. */
let writes = 0;

const where = `SELECT pg_backend_pid() AS pid, now() AS at, $1::int AS place`;
const read = sharing<Place>('test.read', where, 'read');
const write = sharing<Place>('test.write', where, 'write');
const alone = statement<Place>('test.alone', where);
const count = sharing<{ id: string }>('test.id', 'SELECT pg_current_xact_id() AS id', 'write');
const divide = sharing<{ ratio: number }>('test.divide', 'SELECT 1 / $1::int AS ratio', 'read');
const awaitLock = sharing('test.await', 'SELECT pg_advisory_xact_lock($1)', 'write');

beforeAll(async () => {
  database = await createDatabase(ownPlatform().databaseUrl);
  ({ db } = database);
  db.on('connect', (client) => {
    const { connection } = client as unknown as { connection: { stream: Socket } };
    const { stream } = connection;
    const [one, all] = [stream._write.bind(stream), stream._writev.bind(stream)];
    stream._write = (...given: unknown[]) => {
      writes += 1;
      one(...given);
    };
    stream._writev = (...given: unknown[]) => {
      writes += 1;
      all(...given);
    };
  });
});
afterAll(() => database.drop());

interface Socket {
  _write(...given: unknown[]): void;
  _writev(...given: unknown[]): void;
}

const many = <T>(count: number, ask: (place: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, place) => ask(place)));

const distinct = (rows: readonly Place[][]): number => new Set(rows.map(([row]) => row?.pid)).size;

describe('statements sent in one turn', () => {
  it('share one write on one connection, each in its own transaction', async () => {
    await read(db, [0]);
    writes = 0;
    const rows = await many(8, (place) => read(db, [place]));
    expect(writes).toBe(1);
    expect(rows.map(([row]) => row)).toMatchObject(rows.map((_, place) => ({ place })));
    expect(distinct(rows)).toBe(1);
    const transactions = await many(3, () => count(db, []));
    expect(new Set(transactions.map(([row]) => row?.id)).size).toBe(3);
  });

  it('are at most eight per connection, with reads and writes on separate connections', async () => {
    expect(distinct(await many(9, (place) => read(db, [place])))).toBe(2);
    const both = await many(4, (place) => (place % 2 === 0 ? read : write)(db, [place]));
    expect(distinct(both)).toBe(2);
    expect(distinct(await many(4, (place) => alone(db, [place])))).toBe(4);
  });

  it('succeed or fail one by one', async () => {
    const answers = await Promise.allSettled([1, 0, 2].map((by) => divide(db, [by])));
    expect(answers).toMatchObject([
      { status: 'fulfilled', value: [{ ratio: 1 }] },
      { status: 'rejected', reason: { code: '22012' } },
      { status: 'fulfilled', value: [{ ratio: 0 }] },
    ]);
    // Their connection is not reused: the pool closes a connection after an error.
    expect(db.idleCount).toBe(db.totalCount);
    expect(await divide(db, [1])).toEqual([{ ratio: 1 }]);
  });

  it('that read do not wait behind a write that waits for a lock', async () => {
    const holder = await db.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(7)');
      const waiting = awaitLock(db, [7]);
      expect(await read(db, [1])).toMatchObject([{ place: 1 }]);
      await holder.query('SELECT pg_advisory_unlock(7)');
      await waiting;
    } finally {
      holder.release();
    }
  });

  it('inside a transaction belong to it', async () => {
    const rows = await transaction(db, (tx) => many(3, () => read(tx, [0])));
    expect(distinct(rows)).toBe(1);
    expect(new Set(rows.map(([row]) => row?.at.getTime())).size).toBe(1);
  });

  it('all fail when no connection is available', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/nothing';
    const away = openDb({ url, connectionsMax: 1, applicationName: 'test' }, () => undefined);
    const answers = await Promise.allSettled([1, 2].map((place) => read(away, [place])));
    expect(answers).toMatchObject([1, 2].map(() => ({ reason: { code: 'ECONNREFUSED' } })));
    await away.end();
  });
});
