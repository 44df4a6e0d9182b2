import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import { check, customType, sql, timestamp } from './drizzle.ts';

/** Raw bytes, as a Buffer. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Timestamp with time zone. Millisecond precision, as in the API. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * Restricts a text column to known values, instead of an enum. For columns that lists filter by.
 * Behind a row policy PostgreSQL ignores the statistics of an enum, because enum equality is not
 * leakproof; text equality is.
 */
export const oneOf = (name: string, column: AnyPgColumn, values: readonly string[]) =>
  check(name, sql`${column} IN (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`);
