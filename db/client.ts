import pg from 'pg';
import { isPlanStale } from './connection-errors.ts';
import { enterFound, settingFor } from './rights/account-scope.ts';
import { askScoped, prepareScopes } from './rights/scoped-query.ts';
import { pipelineStatement, type Shared } from './statement-pipelining.ts';

/** The pool of one process. Every query on it is bounded in time, a blackholed server included. */
export type Db = pg.Pool;
/** One connection inside a transaction. */
export type Tx = pg.PoolClient;
/** Where a statement may run: in a transaction or on its own. */
export type Queryable = Pick<pg.Pool, 'query'>;

export interface DbOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly applicationName: string;
  /** How long a query may take, in milliseconds. */
  readonly queryTimeoutMs?: number;
  /** How long a connection may take to be had, in milliseconds. */
  readonly connectMsMax?: number;
  /** Statements reach only the rows of the account in scope: for the role of the API. */
  readonly isAccountScoped?: boolean;
}

const queryTimeoutMsDefault = 5_000;
const connectMsMaxDefault = 2_000;
const idleTransactionTimeoutMs = 10_000;

const scopedPools = new WeakSet<Db>();
/** The setting of the account in each transaction on a connection of a scoped pool. */
const settings = new WeakMap<object, string>();

/** bigint columns hold sequence numbers, far below 2^53: they come as numbers, not strings. */
const int8Oid = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
};

/** Opens a pool. Idle connections that break are dropped, not thrown. */
export function openDb(options: DbOptions, onIdleError: (error: Error) => void): Db {
  const queryTimeoutMs = options.queryTimeoutMs ?? queryTimeoutMsDefault;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    application_name: options.applicationName,
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
    connectionTimeoutMillis: options.connectMsMax ?? connectMsMaxDefault,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    keepAlive: true,
    // Statements of one transaction that do not wait for each other go out together.
    pipeline: true,
    types,
  });
  pool.on('error', onIdleError);
  // One that breaks in the midst of a transaction is told by its query; unheard it ends the
  // process.
  pool.on('connect', (client) => client.on('error', onIdleError));
  if (options.isAccountScoped) {
    scopedPools.add(pool);
    pool.on('connect', (client) => prepareScopes(client, onIdleError));
  }
  return pool;
}

/**
 * Runs `work` in one transaction and commits it; any throw rolls back and is passed on.
 * A connection whose rollback fails is thrown away, so that no half-done transaction is reused; so
 * is one whose prepared statements a migration has made stale. (Outside a transaction the pool
 * throws a connection away after any fault.)
 */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return whole(db, async (tx) => {
    await tx.query('BEGIN');
    return work(tx);
  });
}

/**
 * A transaction that begins by locking what it is about. BEGIN and the lock go out together and
 * cost one round trip; a lock changes nothing, so that it does no harm should BEGIN fail.
 */
export function lockedTransaction<Locked, T>(
  db: Db,
  lock: (tx: Tx) => Promise<Locked>,
  work: (tx: Tx, locked: Locked) => Promise<T>,
): Promise<T> {
  return whole(db, async (tx) => {
    const [, locked] = await Promise.all([tx.query('BEGIN'), lock(tx)]);
    return work(tx, locked);
  });
}

/** Reads of one instant: what `work` asks is told as it was when it asked first. */
export function snapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return whole(db, async (tx) => {
    await tx.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return work(tx);
  });
}

async function whole<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.connect();
  if (scopedPools.has(db)) settings.set(tx, '');
  let broken: Error | undefined;
  // The pool listens to idle connections only: one that breaks in use would end the process.
  const onBreak = (error: Error): void => {
    broken = error;
  };
  tx.on('error', onBreak);
  try {
    const result = await work(tx);
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    await tx.query('ROLLBACK').catch(onBreak);
    if (error instanceof Error && isPlanStale(error)) broken = error;
    throw error;
  } finally {
    tx.off('error', onBreak);
    settings.delete(tx);
    tx.release(broken);
  }
}

/** A prepared statement: parsed and planned once for each connection, then sent by name. */
export interface Statement<Row> {
  /** @param values by name, or a list where the text has `$1…` */
  (on: Queryable, values: object): Promise<Row[]>;
}

const prepared = new Map<string, string>();

/** The text of each prepared statement that the modules loaded so far declare, by its name. */
export const preparedStatements: ReadonlyMap<string, string> = prepared;

/**
 * Makes a module-level prepared statement.
 * @param name unique over the whole program, `aggregate.verb`
 * @param named SQL with `:name` or `$1…` for a parameter; its columns are those of `Row`
 */
export function statement<Row>(name: string, named: string): Statement<Row> {
  const { text, listOf } = numbered(named);
  prepared.set(name, text);
  return (on, values) => ask<Row>(on, name, { name, text, values: listOf(values) });
}

/** Gives each `:name` of a text its number. Skips casts (`::int`) and JSON (`{"a":true}`). */
function numbered(named: string): { text: string; listOf: (values: object) => unknown[] } {
  const names: string[] = [];
  const text = named.replace(/(?<![:\w"]):([a-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const listOf = (values: object): unknown[] => {
    if (Array.isArray(values)) return [...values];
    const given: Readonly<Record<string, unknown>> = Object(values);
    return names.map((name) => {
      if (!(name in given)) throw new Error(`the parameter ${name} has no value`);
      return given[name];
    });
  };
  return { text, listOf };
}

/** What a list shows a caller within one account. */
export interface Reach {
  /** `false`: objects in test mode only. Null: objects of both modes. */
  readonly livemode: false | null;
  /** The only apps whose objects are shown. Null: all apps, and objects that belong to no app. */
  readonly appIds: readonly string[] | null;
}
export const fullReach: Reach = { livemode: null, appIds: null };

/** A statement with a variant for each kind of reach. */
export interface ReachedStatement<Row> {
  (on: Queryable, values: readonly unknown[], reach: Reach): Promise<Row[]>;
}

/**
 * Makes the variants of a list. The conditions are in the text, not parameters that may be null:
 * only then does the planner use the partial indexes on `NOT livemode`, without which a page of a
 * few test rows reads all live rows of an account. The ids of apps are the last parameter.
 * @param text makes the SQL from the condition, which is empty where everything is shown
 */
export function inReach<Row>(name: string, text: (reach: string) => string): ReachedStatement<Row> {
  const numbers = [...text('').matchAll(/\$(\d+)/g)].map(([, digits]) => Number(digits));
  const ofApps = ` AND app_id = ANY ($${Math.max(...numbers) + 1})`;
  const inTest = 'AND NOT livemode';
  const all = statement<Row>(name, text(''));
  const test = statement<Row>(`${name}_in_test`, text(inTest));
  const apps = statement<Row>(`${name}_of_apps`, text(ofApps));
  const testApps = statement<Row>(`${name}_in_test_of_apps`, text(inTest + ofApps));
  return (on, values, { livemode, appIds }) => {
    if (appIds === null) return (livemode === null ? all : test)(on, values);
    return (livemode === null ? apps : testApps)(on, [...values, appIds]);
  };
}

/**
 * A prepared statement that many ask at once and that is quick: outside of a transaction it shares
 * a connection with others of its kind (`askTogether`).
 */
export function sharing<Row>(name: string, named: string, kind: Shared): Statement<Row> {
  const { text, listOf } = numbered(named);
  const alone = statement<Row>(name, named);
  return async (on, values) => {
    if (!(on instanceof pg.Pool)) return alone(on, values);
    const asked = prepareQuery<Row>(on, name, { name, text, values: listOf(values) });
    return enterFound(name, await pipelineStatement(on, kind, asked));
  };
}

/**
 * A statement that is planned anew for its values each time: for what has no one plan that is good
 * for all of them.
 */
export function planned<Row>(name: string, named: string): Statement<Row> {
  const { text, listOf } = numbered(named);
  return (on, values) => ask<Row>(on, name, { text, values: listOf(values) });
}

async function ask<Row>(on: Queryable, name: string, query: pg.QueryConfig): Promise<Row[]> {
  const asked = prepareQuery<Row>(on, name, query);
  if (!(on instanceof pg.Pool) || !scopedPools.has(on)) return enterFound(name, await asked(on));
  const client = await on.connect();
  try {
    const rows = await asked(client);
    client.release();
    return enterFound(name, rows);
  } catch (error) {
    // As the pool does: a connection is thrown away after any fault.
    client.release(true);
    throw error;
  }
}

/** Reads the scope at once: what the statement then runs on may be shared with other requests. */
function prepareQuery<Row>(
  on: Queryable,
  name: string,
  query: pg.QueryConfig,
): (client: Queryable) => Promise<Row[]> {
  const held = on instanceof pg.Pool ? '' : settings.get(on);
  const isScoped = on instanceof pg.Pool ? scopedPools.has(on) : held !== undefined;
  const setting = isScoped ? settingFor(name) : held;
  return async (client) => {
    if (setting === undefined || setting === held) {
      return (await client.query<Row & pg.QueryResultRow>(query)).rows;
    }
    if (!(on instanceof pg.Pool)) settings.set(on, setting);
    return askScoped<Row & pg.QueryResultRow>(client, query, setting);
  };
}

/** The rows of a page and how many there are in all, both asked at once. */
export async function withTotal<Row>(
  page: Promise<Row[]>,
  count: Promise<readonly { readonly total: number }[]>,
): Promise<{ rows: Row[]; total: number }> {
  const [rows, counted] = await Promise.all([page, count]);
  return { rows, total: firstOf(counted)?.total ?? 0 };
}

/** The first row, or null: for statements that find one thing by its key. */
export function firstOf<Row>(rows: readonly Row[]): Row | null {
  return rows[0] ?? null;
}
