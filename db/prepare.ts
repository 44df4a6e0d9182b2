import { createRequire } from 'node:module';
import type { GetColumnData, SQL, SQLWrapper } from 'drizzle-orm';
import type * as postgres from 'drizzle-orm/node-postgres';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { statement, type Queryable } from './client.ts';
import { is, PgColumn, PgDialect, Placeholder, sql } from './schema/drizzle.ts';

const require = createRequire(import.meta.url);
const { drizzle }: typeof postgres = require('drizzle-orm/node-postgres');

/** Query builder for the tables of the schema. Runs nothing. */
export const build = drizzle.mock();

/** A parameter that is not a column: a limit, an offset, a list. */
interface Typed<T> {
  readonly takes?: (value: T) => void;
}
export const typed = <T>(): Typed<T> => ({});
export const limit = typed<number>();
export const offset = typed<number>();
/** Ids of the rows that a list excludes. */
export const without = typed<readonly string[]>();

/** Column `total`: the number of rows. */
export const total = sql<number>`count(*)::int`.as('total');

/** Query parameters by name. Each has the type of a column or an explicit type. */
type Parameters = Readonly<Record<string, AnyPgColumn | Typed<never>>>;

type Accepted<T> = T extends Buffer
  ? Uint8Array
  : T extends readonly (infer Each)[]
    ? readonly Each[]
    : T;
type ValueOf<P> = P extends AnyPgColumn
  ? Accepted<GetColumnData<P>>
  : P extends Typed<infer T>
    ? T
    : never;
type ValuesOf<P> = { readonly [Name in keyof P]: ValueOf<P[Name]> };
type Named<P> = {
  readonly [Name in keyof P & string]: P[Name] extends AnyPgColumn
    ? SQL<GetColumnData<P[Name]>>
    : InstanceType<typeof Placeholder<Name>>;
};
/** For each parameter that is a column, the condition that the column equals it. */
type Equalities<P> = {
  readonly [Name in keyof P as P[Name] extends AnyPgColumn ? Name : never]: SQL<boolean>;
};
interface Built<P> {
  readonly by: Named<P>;
  readonly equals: Equalities<P>;
}
type RowOf<Q> =
  Q extends SQL<infer Row>
    ? Row
    : Q extends { readonly _: { readonly result: readonly (infer Row)[] } }
      ? Row
      : never;

/** A prepared statement with named parameters. */
export interface Prepared<P, Row> {
  (on: Queryable, values: ValuesOf<P>): Promise<Row[]>;
}

/**
 * Makes a module-level prepared statement from a drizzle query, or from SQL with named parameters.
 * Builds the text once. Constants are inlined, so that a plan can use partial indexes. See
 * docs/decisions/020-own-code.md.
 * @param name unique in the whole program, `aggregate.verb`
 * @param parameters their types; the value of a JSON column is written as JSON
 * @param query builds the query from the parameters (`by`) and equality conditions (`equals`)
 */
export function prepare<P extends Parameters, Q extends SQLWrapper>(
  name: string,
  parameters: P,
  query: (parameters: Built<P>) => Q,
): Prepared<P, RowOf<Q>> {
  const { text, order } = textOf(query(builtOf(parameters)));
  const run = statement<RowOf<Q>>(name, text);
  const isJson = order.map((key) => {
    const type = parameters[key];
    return is(type, PgColumn) && type.dataType === 'json';
  });
  return (on, values) => {
    const given: Readonly<Record<string, unknown>> = values;
    const inOrder = order.map((key, at) => {
      const value = given[key];
      return isJson[at] && value !== null ? JSON.stringify(value) : value;
    });
    return run(on, inOrder);
  };
}

function builtOf<P extends Parameters>(parameters: P): Built<P> {
  const all = Object.entries(parameters).map(([key, type]) => {
    const placeholder = sql.placeholder(key);
    if (!is(type, PgColumn)) return { key, by: placeholder };
    return { key, by: sql`${placeholder}`, equals: sql`${type} = ${placeholder}` };
  });
  return {
    by: Object.fromEntries(all.map(({ key, by }) => [key, by])) as Named<P>,
    equals: Object.fromEntries(all.map(({ key, equals }) => [key, equals])) as Equalities<P>,
  };
}

const dialect = new PgDialect();

/** Returns the SQL text of a query. A parameter that is used several times has one number. */
function textOf(query: SQLWrapper): { text: string; order: readonly string[] } {
  const built = dialect.sqlToQuery(query.getSQL().inlineParams());
  const names = built.params.map((param) => {
    if (!is(param, Placeholder)) throw new Error('a parameter has no name');
    return param.name;
  });
  const order = [...new Set(names)];
  const text = built.sql.replace(/\$(\d+)/g, (_, digits) => {
    const name = names[Number(digits) - 1];
    return name === undefined ? `$${digits}` : `$${order.indexOf(name) + 1}`;
  });
  return { text, order };
}
