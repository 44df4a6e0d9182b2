import { bigint, index, jsonb, pgEnum, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { devicePlatforms } from '../names.ts';
import { apps, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';

export const devicePlatform = pgEnum('device_platform', devicePlatforms);

export const devices = pgTable(
  'devices',
  {
    device_id: text('device_id').primaryKey(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    app_id: text('app_id')
      .notNull()
      .references(() => apps.app_id),
    platform: devicePlatform('platform').notNull(),
    /** App Attest key id, or the SHA-256 of the attested Keystore key: one key, one install. */
    attested_key_id: text('attested_key_id').notNull(),
    public_key_spki: bytea('public_key_spki').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull().default(0),
    /** What the enrolment was judged on: the evidence input, sealed, and the verdict. */
    evidence_sealed: bytea('evidence_sealed').notNull(),
    verdict: jsonb('verdict').notNull(),
    signing_kid: text('signing_kid').notNull(),
    name: text('name'),
    created_at: instant('created_at').notNull(),
    last_seen_at: instant('last_seen_at'),
    revoked_at: instant('revoked_at'),
  },
  (table) => [
    uniqueIndex('devices_attested_key').on(table.platform, table.attested_key_id),
    index('devices_user').on(table.poly_user_id),
    index('devices_app').on(table.app_id),
  ],
);
