import { createRequire } from 'node:module';
import type * as orm from 'drizzle-orm';
import type * as postgres from 'drizzle-orm/pg-core';

// With an ES import, Node parses the 180 kB `package.json` of drizzle-orm once for each module: 1.4
// s of CPU and 78 MB at process start. Its CommonJS modules take 0.2 s and 4.5 MB.
const require = createRequire(import.meta.url);

export const {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  gte,
  inArray,
  is,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  Placeholder,
  sql,
}: typeof orm = require('drizzle-orm');

export const {
  bigint,
  boolean,
  check,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  PgColumn,
  PgDialect,
  primaryKey,
  serial,
  text,
  timestamp,
  uniqueIndex,
}: typeof postgres = require('drizzle-orm/pg-core');
