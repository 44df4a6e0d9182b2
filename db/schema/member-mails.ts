import type { MemberMailKind } from '../../domain/identity/recovery-names.ts';
import { accounts, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { boolean, index, integer, pgTable, sql, text } from './drizzle.ts';

/** Mails about invitations and recoveries: the outbox of the relay that sends them. */
export const memberMails = pgTable(
  'member_mails',
  {
    mail_id: text('mail_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** For an invitation, the placeholder person; for a recovery, its subject. */
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    email_blind: bytea('email_blind').notNull(),
    /** Null after it is sent or given up. */
    address_sealed: bytea('address_sealed'),
    kind: text('kind').$type<MemberMailKind>().notNull().default('invitation'),
    locale: text('locale'),
    return_to: text('return_to'),
    created_at: instant('created_at').notNull(),
    /** True until its workflow is known to be started. */
    awaits_start: boolean('awaits_start').notNull().default(true),
    /** When it was admitted under the daily limit of the address. */
    admitted_at: instant('admitted_at'),
    mailed_at: instant('mailed_at'),
  },
  (table) => [
    index('member_mails_account').on(table.account_id, table.created_at),
    index('member_mails_address').on(table.email_blind, table.created_at),
    index('member_mails_age').on(table.created_at),
    index('member_mails_awaiting')
      .on(table.created_at)
      .where(sql`awaits_start`),
  ],
);
