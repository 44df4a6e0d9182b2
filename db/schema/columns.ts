import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes, as node-postgres gives them. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** An instant, always with its zone, kept to the millisecond like the API shows it. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
