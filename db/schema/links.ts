import {
  linkStates,
  linkTypes,
  type LinkState,
  type LinkType,
  type SandboxSubject,
} from '../../domain/names.ts';
import type { LinkPolicy } from '../../domain/trust-checks/link-policy.ts';
import type { DeliveryState } from '../../workflows/link-invitation/state.ts';
import { accounts, apps } from './accounts.ts';
import { bytea, instant, oneOf } from './columns.ts';
import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text } from './drizzle.ts';

export interface LinkDelivery {
  status: DeliveryState;
  message_id?: string;
  at: string;
}

export const links = pgTable(
  'links',
  {
    link_uuid: text('link_uuid').primaryKey(),
    app_id: text('app_id')
      .notNull()
      .references(() => apps.app_id),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    link_type: text('link_type').$type<LinkType>().notNull(),
    title_sealed: bytea('title_sealed'),
    status: text('status').$type<LinkState>().notNull(),
    single_use: boolean('single_use').notNull(),
    emailed: boolean('emailed').notNull(),
    livemode: boolean('livemode').notNull(),
    /** Test mode only: the outcome of its checks, unless the begin request sets one. */
    sandbox_subject: text('sandbox_subject').$type<SandboxSubject>(),
    use_count: integer('use_count').notNull().default(0),
    max_uses: integer('max_uses'),
    max_attempts: integer('max_attempts').notNull(),
    required_proofs: text('required_proofs').array().notNull(),
    requested_claims: text('requested_claims').array().notNull(),
    /** JSON of matching_params: personal data of the expected person. */
    matching_sealed: bytea('matching_sealed'),
    /** JSON {email, name?, note?} of the recipient of an emailed link. */
    recipient_sealed: bytea('recipient_sealed'),
    /** Keyed digest of the recipient's address, to count mails to it. */
    recipient_blind: bytea('recipient_blind'),
    /** When its mail was admitted under the daily limit of the address. */
    mail_admitted_at: instant('mail_admitted_at'),
    policy: jsonb('policy').$type<LinkPolicy>().notNull(),
    transaction_data_sealed: bytea('transaction_data_sealed'),
    meeting: jsonb('meeting').$type<Record<string, unknown>>(),
    delivery: jsonb('delivery').$type<LinkDelivery>(),
    /** JSON of the metadata; null for none. */
    metadata_sealed: bytea('metadata_sealed'),
    /** Keyed digests of its entries, for list filters. */
    metadata_digests: bytea('metadata_digests')
      .array()
      .notNull()
      .default(sql`'{}'`),
    redirect_url: text('redirect_url'),
    reference_sealed: bytea('reference_sealed'),
    /** Keyed digest of the reference, for list filters. */
    reference_blind: bytea('reference_blind'),
    /** Keyed digests of the words of title and reference, for list searches. */
    words_blind: text('words_blind')
      .array()
      .notNull()
      .default(sql`'{}'`),
    job_id: text('job_id'),
    locale: text('locale'),
    created_by: text('created_by').notNull(),
    reserved_by: text('reserved_by'),
    version: integer('version').notNull().default(1),
    not_before: instant('not_before'),
    expires_at: instant('expires_at'),
    last_used_at: instant('last_used_at'),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
    /** True if it was deleted and its sessions may still have to be canceled. */
    ends_sessions: boolean('ends_sessions').notNull().default(false),
    /** True until its mail workflow is known to be started: the outbox of its relay. */
    awaits_invitation: boolean('awaits_invitation').notNull().default(false),
  },
  (table) => [
    index('links_app').on(table.account_id, table.app_id, table.created_at, table.link_uuid),
    index('links_type').on(table.account_id, table.link_type, table.created_at, table.link_uuid),
    index('links_status').on(table.account_id, table.status, table.created_at, table.link_uuid),
    index('links_reference')
      .on(table.account_id, table.reference_blind, table.created_at)
      .where(sql`reference_blind IS NOT NULL`),
    index('links_metadata').using('gin', table.account_id, table.metadata_digests),
    index('links_in_test')
      .on(table.account_id, table.created_at, table.link_uuid)
      .where(sql`NOT ${table.livemode}`),
    // Searches match whole words of title and reference, and any part of the id.
    index('links_search').using(
      'gin',
      table.account_id,
      table.words_blind,
      sql`link_uuid COLLATE "pg_c_utf8" gin_trgm_ops`,
    ),
    // For the sweep of expired links: links that have not ended yet.
    index('links_ending')
      .on(table.expires_at)
      .where(sql`status IN ('scheduled', 'active', 'paused') AND expires_at IS NOT NULL`),
    index('links_awaiting_invitation')
      .on(table.created_at)
      .where(sql`awaits_invitation`),
    index('links_recipient')
      .on(table.recipient_blind, table.mail_admitted_at)
      .where(sql`mail_admitted_at IS NOT NULL`),
    index('links_ends_sessions')
      .on(table.link_uuid)
      .where(sql`ends_sessions`),
    oneOf('links_status_known', table.status, linkStates),
    oneOf('links_type_known', table.link_type, linkTypes),
  ],
);

/**
 * Import links that were opened on a phone and not yet fetched by the app installed there. Of the
 * IP address only a keyed digest is stored, for as long as the app may fetch the link.
 */
export const openedImports = pgTable(
  'opened_imports',
  {
    address_blind: bytea('address_blind').notNull(),
    platform: text('platform').notNull(),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    opened_at: instant('opened_at').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.address_blind, table.platform, table.link_uuid] }),
    index('opened_imports_expiry').on(table.expires_at),
  ],
);

/** Reports of the mail provider on an emailed link, each once, until its workflow is signaled. */
export const mailReports = pgTable(
  'mail_reports',
  {
    event_id: text('event_id').primaryKey(),
    link_uuid: text('link_uuid').notNull(),
    status: text('status').notNull(),
    received_at: instant('received_at').notNull(),
    awaits_signal: boolean('awaits_signal').notNull().default(true),
  },
  (table) => [
    index('mail_reports_received').on(table.received_at),
    index('mail_reports_awaiting')
      .on(table.received_at)
      .where(sql`awaits_signal`),
  ],
);
