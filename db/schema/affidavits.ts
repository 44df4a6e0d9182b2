import { bytea, instant } from './columns.ts';
import { boolean, index, integer, pgTable, sql, text, uniqueIndex } from './drizzle.ts';
import { affidavitState, trustChecks } from './trust-checks.ts';

/**
 * Issuance record and storage manifest of an affidavit. The row is inserted before anything is
 * signed. Its unique session prevents a second affidavit, even after a crash.
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
    /**
     * `pending` until its workflow is started. The relay that starts these workflows uses this
     * column as its outbox.
     */
    status: affidavitState('status').notNull(),
    /** JSON of the frozen content of the pages and the attachment. */
    content_sealed: bytea('content_sealed'),
    affidavit_key: text('affidavit_key'),
    version: integer('version').notNull().default(1),
    sha256: text('sha256'),
    base_sha256: text('base_sha256'),
    json_sha256: text('json_sha256'),
    size_bytes: integer('size_bytes'),
    pades_level: text('pades_level'),
    /** Development flag as written in the file; null until it is published. */
    development: boolean('development'),
    seal_kid: text('seal_kid'),
    sealed_at: instant('sealed_at'),
    available_at: instant('available_at'),
    /** Why issuing failed, and when it was given up. Both stay during a new attempt. */
    reason_code: text('reason_code'),
    failed_at: instant('failed_at'),
    /** Trace of the decision; issuing continues it. */
    traceparent: text('traceparent'),
    /** Available, but the proof of the public log is not yet stored beside its file. */
    awaits_log_proof: boolean('awaits_log_proof').notNull().default(false),
    /** When it is due to be archived or renewed; null for never. */
    renew_at: instant('renew_at'),
    renewed_at: instant('renewed_at'),
    /** When a key that it may depend on was found stolen; null after it was judged again. */
    recheck_since: instant('recheck_since'),
    /** Reason of the last failed renewal. */
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
