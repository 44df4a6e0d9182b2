import {
  devicePlatforms,
  type DeviceEnd,
  type FlagState,
  type RecallState,
} from '../../domain/names.ts';
import type { RecallDue } from '../../workflows/device-recall/messages.ts';
import { apps, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';

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
    /** App Attest key id, or SHA-256 of the attested Keystore key. One key per install. */
    attested_key_id: text('attested_key_id').notNull(),
    public_key_spki: bytea('public_key_spki').notNull(),
    counter: bigint('counter', { mode: 'number' }).notNull().default(0),
    /** Input and result of the enrollment check: the sealed evidence, and the verdict. */
    evidence_sealed: bytea('evidence_sealed').notNull(),
    verdict: jsonb('verdict').notNull(),
    signing_kid: text('signing_kid').notNull(),
    name: text('name'),
    created_at: instant('created_at').notNull(),
    last_seen_at: instant('last_seen_at'),
    revoked_at: instant('revoked_at'),
    /** Why it was revoked; null if the owner revoked it. */
    revoked_for: text('revoked_for').$type<DeviceEnd>(),
    /**
     * Android: serial numbers of its attestation chain, in the format of the vendor's revocation
     * list.
     */
    attestation_serials: text('attestation_serials').array(),
    /**
     * iPhone: the last renewed App Attest receipt (sealed evidence), its time and its risk metric.
     */
    receipt_sealed: bytea('receipt_sealed'),
    receipt_at: instant('receipt_at'),
    risk_metric: integer('risk_metric'),
    /** iPhone: start of the receipt renewals; null while the key of its team is not configured. */
    followed_at: instant('followed_at'),
    /** Sealed tokens that identify the phone to its vendor; null if none were sent or needed. */
    tokens_sealed: bytea('tokens_sealed'),
    /** The vendor request to start with these tokens: an outbox. */
    recall_due: text('recall_due').$type<RecallDue>(),
    /** What the vendor recalled about the phone: its state, the sealed evidence and the time. */
    recall_status: text('recall_status').$type<RecallState>(),
    recall_sealed: bytea('recall_sealed'),
    recall_at: instant('recall_at'),
    reinstall_detected: boolean('reinstall_detected'),
    device_flagged: boolean('device_flagged'),
    flag_status: text('flag_status').$type<FlagState>(),
    /**
     * True if checks that it runs must still be failed: the outbox of the relay that fails them.
     */
    ends_checks: boolean('ends_checks').notNull().default(false),
  },
  (table) => [
    uniqueIndex('devices_attested_key').on(table.platform, table.attested_key_id),
    index('devices_user').on(table.poly_user_id),
    index('devices_app').on(table.app_id),
    index('devices_serials').using('gin', table.attestation_serials),
    index('devices_unfollowed')
      .on(table.app_id, table.created_at)
      .where(sql`platform = 'ios' AND followed_at IS NULL AND revoked_at IS NULL`),
    index('devices_recall_due')
      .on(table.created_at)
      .where(sql`recall_due IS NOT NULL`),
    index('devices_ends_checks')
      .on(table.device_id)
      .where(sql`ends_checks`),
  ],
);
