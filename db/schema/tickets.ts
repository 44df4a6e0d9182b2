import { ticketSeverities, ticketStates } from '../../domain/names.ts';
import { accounts, apps } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { index, integer, pgEnum, pgTable, text } from './drizzle.ts';
import { links } from './links.ts';

export const ticketState = pgEnum('ticket_state', ticketStates);
export const ticketSeverity = pgEnum('ticket_severity', ticketSeverities);

/** A report to an app's account. The reporter may be unknown. */
export const tickets = pgTable(
  'tickets',
  {
    ticket_id: text('ticket_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    app_id: text('app_id')
      .notNull()
      .references(() => apps.app_id),
    link_uuid: text('link_uuid').references(() => links.link_uuid),
    status: ticketState('status').notNull(),
    severity: ticketSeverity('severity').notNull(),
    /** JSON {subject?, description?, contact_email?, context?}: free text of the reporter. */
    report_sealed: bytea('report_sealed'),
    created_by: text('created_by'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    index('tickets_account').on(table.account_id, table.created_at),
    index('tickets_link').on(table.link_uuid),
  ],
);
