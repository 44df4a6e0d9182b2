import type { RecoveryState } from '../../domain/identity/recovery-names.ts';
import { accounts, polyUsers } from './accounts.ts';
import { instant } from './columns.ts';
import { index, integer, pgTable, sql, text, uniqueIndex } from './drizzle.ts';
import { links } from './links.ts';

/** Recoveries of people who lost every device (docs/decisions/007-people-and-sign-in.md). */
export const recoveries = pgTable(
  'recoveries',
  {
    recovery_id: text('recovery_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** The subject: the person who lost their devices. */
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    /** The mailed link of the check; null where the operator admitted the person without one. */
    link_uuid: text('link_uuid').references(() => links.link_uuid),
    status: text('status').$type<RecoveryState>().notNull(),
    /** Language of the mails (BCP 47); null for English. */
    locale: text('locale'),
    /** A person id, or `operator`. */
    opened_by: text('opened_by').notNull(),
    /** The person or `operator` who approved, denied or canceled it. */
    decided_by: text('decided_by'),
    /** The device that completed it. */
    device_id: text('device_id'),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    decided_at: instant('decided_at'),
    completed_at: instant('completed_at'),
  },
  (table) => [
    uniqueIndex('recoveries_live')
      .on(table.poly_user_id)
      .where(sql`status IN ('open', 'approved')`),
    index('recoveries_member').on(table.account_id, table.poly_user_id, table.created_at),
    index('recoveries_ending')
      .on(table.expires_at)
      .where(sql`status IN ('open', 'approved')`),
  ],
);
