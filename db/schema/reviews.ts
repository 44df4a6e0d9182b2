import { bytea, instant } from './columns.ts';
import { index, pgTable, text } from './drizzle.ts';
import { trustChecks } from './trust-checks.ts';

/**
 * Decision of a check in review, by whom and why. The note is sealed, because it has personal data.
 * The row is inserted before the decision is sent; the step that applies the decision sets
 * `decided_at`.
 */
export const reviews = pgTable(
  'reviews',
  {
    review_id: text('review_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    decision: text('decision').notNull(),
    /** Id of the API key or the person. */
    reviewer: text('reviewer').notNull(),
    note_sealed: bytea('note_sealed'),
    created_at: instant('created_at').notNull(),
    /** When this review decided the check; null if it is pending or was decided otherwise. */
    decided_at: instant('decided_at'),
  },
  (table) => [index('reviews_session').on(table.link_session_id)],
);
