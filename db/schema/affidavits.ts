import { bytea, instant } from './columns.ts';
import { boolean, index, integer, pgTable, sql, text, uniqueIndex } from './drizzle.ts';
import { affidavitState, trustChecks } from './trust-checks.ts';

/**
 * The issuance record and storage manifest of an affidavit. The row is written before anything is
 * signed, and its unique session makes a second affidavit impossible whatever crashes.
 */
export const affidavits = pgTable(
  'affidavits',
  {
    affidavit_id: text('affidavit_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    poly_user_id: text('poly_user_id'),
    account_id: integer('account_id').notNull(),
    app_id: text('app_id').notNull(),
    /** `pending` until its workflow has been started: the outbox of the relay that starts them. */
    status: affidavitState('status').notNull(),
    /** JSON of the frozen content: what the pages and the attachment say. */
    content_sealed: bytea('content_sealed'),
    affidavit_key: text('affidavit_key'),
    version: integer('version').notNull().default(1),
    sha256: text('sha256'),
    base_sha256: text('base_sha256'),
    json_sha256: text('json_sha256'),
    size_bytes: integer('size_bytes'),
    pades_level: text('pades_level'),
    /** As the file says of itself; null until it is published. */
    development: boolean('development'),
    seal_kid: text('seal_kid'),
    sealed_at: instant('sealed_at'),
    available_at: instant('available_at'),
    /** Why it could not be issued, and when that was given up; kept while it is tried again. */
    reason_code: text('reason_code'),
    failed_at: instant('failed_at'),
    /** The trace of the decision; issuing goes on with it. */
    traceparent: text('traceparent'),
    /** Available, with no proof of the public log beside its file yet. */
    awaits_log_proof: boolean('awaits_log_proof').notNull().default(false),
    /** When it is to be archived again, or for the first time; null where never. */
    renew_at: instant('renew_at'),
    renewed_at: instant('renewed_at'),
    /** When a key was found stolen that it may rest on; null once it was judged after that. */
    recheck_since: instant('recheck_since'),
    /** Why it could not be, the last time that it was due. */
    renewal_reason: text('renewal_reason'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('affidavits_session').on(table.link_session_id),
    index('affidavits_pending')
      .on(table.created_at)
      .where(sql`${table.status} = 'pending'`),
    index('affidavits_unproven')
      .on(table.available_at)
      .where(sql`awaits_log_proof`),
    index('affidavits_renewable')
      .on(table.renew_at, table.affidavit_id)
      .where(sql`renew_at IS NOT NULL`),
    index('affidavits_failed')
      .on(table.failed_at)
      .where(sql`${table.status} = 'failed'`),
  ],
);
