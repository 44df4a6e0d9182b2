import pg from 'pg';
import { isPlanStale } from './connection-errors.ts';
import { enterFound, settingFor } from './rights/account-scope.ts';
import { askScoped, prepareScopes } from './rights/scoped-query.ts';
import { pipelineStatement, type Shared } from './statement-pipelining.ts';

/**
 * The connection pool of one process. Every query on it has a time limit, even if the server stops
 * responding.
 */
export type Db = pg.Pool;
/** One connection inside a transaction. */
export type Tx = pg.PoolClient;
/** Anything that runs a statement: a pool or a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

export interface DbOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly applicationName: string;
  /** Maximum duration of a query, in milliseconds. */
  readonly queryTimeoutMs?: number;
  /** Maximum wait for a connection, in milliseconds. */
  readonly connectMsMax?: number;
  /**
   * Limits statements to the rows of the account in scope. Set for the database role of the API.
   */
  readonly isAccountScoped?: boolean;
}

const queryTimeoutMsDefault = 5_000;
const connectMsMaxDefault = 2_000;
const idleTransactionTimeoutMs = 10_000;

const scopedPools = new WeakSet<Db>();
/** Current value of the account setting, per open transaction on a scoped pool. */
const settings = new WeakMap<object, string>();

/**
 * bigint columns hold sequence numbers far below 2^53, so they are parsed as numbers, not strings.
 */
const int8Oid = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8Oid ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
};

/** Opens a pool. An idle connection that breaks is dropped and reported to `onIdleError`. */
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
    // Sends statements of one transaction together if they do not wait for each other.
    pipeline: true,
    types,
  });
  pool.on('error', onIdleError);
  // The failing query already reports a break during a transaction. Without a listener, the 'error'
  // event would end the process.
  pool.on('connect', (client) => client.on('error', onIdleError));
  if (options.isAccountScoped) {
    scopedPools.add(pool);
    pool.on('connect', (client) => prepareScopes(client, onIdleError));
  }
  return pool;
}

/**
 * Runs `work` in one transaction and commits it. If `work` throws, rolls back and rethrows.
 * Closes the connection if the rollback fails, so that no half-done transaction is reused. Also
 * closes it if a migration made its prepared statements stale. (Outside a transaction the pool
 * closes a connection after any error.)
 */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return whole(db, async (tx) => {
    await tx.query('BEGIN');
    return work(tx);
  });
}

/**
 * Runs a transaction whose first statement is a lock. Sends BEGIN and the lock together, which
 * costs one round trip. The lock changes no data, so it is harmless if BEGIN fails.
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

/** Runs `work` read-only on one snapshot: every read sees the database as of the first read. */
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
  // The pool listens only to idle connections. An unhandled 'error' event would end the process.
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

/** A prepared statement. Each connection parses and plans it once, then runs it by name. */
export interface Statement<Row> {
  /** @param values an object by parameter name, or an array if the text has `$1…` */
  (on: Queryable, values: object): Promise<Row[]>;
}

const prepared = new Map<string, string>();

/** SQL text by name, for each prepared statement that the loaded modules declare. */
export const preparedStatements: ReadonlyMap<string, string> = prepared;

/**
 * Makes a module-level prepared statement.
 * @param name unique in the whole program, `aggregate.verb`
 * @param named SQL with `:name` or `$1…` parameters; its columns must match `Row`
 */
export function statement<Row>(name: string, named: string): Statement<Row> {
  const { text, listOf } = numbered(named);
  prepared.set(name, text);
  return (on, values) => ask<Row>(on, name, { name, text, values: listOf(values) });
}

/** Replaces each `:name` with `$n`. Skips casts (`::int`) and JSON (`{"a":true}`). */
function numbered(named: string): { text: string; listOf: (values: object) => unknown[] } {
  const names: string[] = [];
  const text = named.replace(/(?<![:\w"]):([a-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const listOf = (values: object): unknown[] => {
    if (Array.isArray(values)) return [...values];
    const byName: Readonly<Record<string, unknown>> = Object(values);
    return names.map((name) => {
      if (!(name in byName)) throw new Error(`the parameter ${name} has no value`);
      return byName[name];
    });
  };
  return { text, listOf };
}

/** Which objects of an account a caller may list. */
export interface Reach {
  /** `false`: only objects in test mode. Null: objects of both modes. */
  readonly livemode: false | null;
  /** Only objects of these apps. Null: objects of all apps and objects without an app. */
  readonly appIds: readonly string[] | null;
}
export const fullReach: Reach = { livemode: null, appIds: null };

/** A list statement with one variant for each kind of reach. */
export interface ReachedStatement<Row> {
  (on: Queryable, values: readonly unknown[], reach: Reach): Promise<Row[]>;
}

/**
 * Makes the variants of a list statement. The conditions are part of the text, not nullable
 * parameters. Only then can the planner use the partial indexes on `NOT livemode`; without them, a
 * page of a few test rows reads all live rows of an account. The app ids are the last parameter.
 * @param text returns the SQL for a condition; the condition is empty if everything is in reach
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
 * Makes a prepared statement for fast queries with many concurrent callers. Outside a transaction
 * it shares a connection with other such statements (`pipelineStatement`).
 */
export function sharing<Row>(name: string, named: string, kind: Shared): Statement<Row> {
  const { text, listOf } = numbered(named);
  const alone = statement<Row>(name, named);
  return async (on, values) => {
    if (!(on instanceof pg.Pool)) return alone(on, values);
    const run = prepareQuery<Row>(on, name, { name, text, values: listOf(values) });
    return enterFound(name, await pipelineStatement(on, kind, run));
  };
}

/**
 * Makes a statement that PostgreSQL plans again on each call. Use it if no single plan is good for
 * all values.
 */
export function planned<Row>(name: string, named: string): Statement<Row> {
  const { text, listOf } = numbered(named);
  return (on, values) => ask<Row>(on, name, { text, values: listOf(values) });
}

async function ask<Row>(on: Queryable, name: string, query: pg.QueryConfig): Promise<Row[]> {
  const run = prepareQuery<Row>(on, name, query);
  if (!(on instanceof pg.Pool) || !scopedPools.has(on)) return enterFound(name, await run(on));
  const client = await on.connect();
  try {
    const rows = await run(client);
    client.release();
    return enterFound(name, rows);
  } catch (error) {
    // Like the pool: close the connection after any error.
    client.release(true);
    throw error;
  }
}

/**
 * Reads the account scope immediately, because the connection that runs the statement may be shared
 * with other requests.
 */
function prepareQuery<Row>(
  on: Queryable,
  name: string,
  query: pg.QueryConfig,
): (client: Queryable) => Promise<Row[]> {
  const current = on instanceof pg.Pool ? '' : settings.get(on);
  const isScoped = on instanceof pg.Pool ? scopedPools.has(on) : current !== undefined;
  const setting = isScoped ? settingFor(name) : current;
  return async (client) => {
    if (setting === undefined || setting === current) {
      return (await client.query<Row & pg.QueryResultRow>(query)).rows;
    }
    if (!(on instanceof pg.Pool)) settings.set(on, setting);
    return askScoped<Row & pg.QueryResultRow>(client, query, setting);
  };
}

/** Returns the rows of a page and the total count. The caller starts both queries concurrently. */
export async function withTotal<Row>(
  page: Promise<Row[]>,
  count: Promise<readonly { readonly total: number }[]>,
): Promise<{ rows: Row[]; total: number }> {
  const [rows, counted] = await Promise.all([page, count]);
  return { rows, total: firstOf(counted)?.total ?? 0 };
}

/** Returns the first row, or null. For statements that find one row by its key. */
export function firstOf<Row>(rows: readonly Row[]): Row | null {
  return rows[0] ?? null;
}
