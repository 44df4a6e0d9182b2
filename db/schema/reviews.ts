import { bytea, instant } from './columns.ts';
import { index, pgTable, text } from './drizzle.ts';
import { trustChecks } from './trust-checks.ts';

/**
 * Who decided a check in review, and why: the note is sealed, for it speaks of a person. The row is
 * written before the decision is sent; the step that takes the decision sets `decided_at`.
 */
export const reviews = pgTable(
  'reviews',
  {
    review_id: text('review_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    decision: text('decision').notNull(),
    /** The key or the user. */
    reviewer: text('reviewer').notNull(),
    note_sealed: bytea('note_sealed'),
    created_at: instant('created_at').notNull(),
    /** When the check was decided so; null while it is not, or was decided otherwise. */
    decided_at: instant('decided_at'),
  },
  (table) => [index('reviews_session').on(table.link_session_id)],
);
