import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { check, customType, sql, timestamp } from './drizzle.ts';

/** Raw bytes, as node-postgres gives them. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** An instant, always with its zone, kept to the millisecond like the API shows it. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * The values of a text column that lists are filtered by, in place of an enum. Behind a row policy
 * PostgreSQL uses no statistics of an enum: its equality is not leak-proof, that of text is.
 */
export const oneOf = (name: string, column: AnyPgColumn, values: readonly string[]) =>
  check(name, sql`${column} IN (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`);
