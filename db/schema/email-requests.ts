import { emailPurposes, emailRequestStates } from '../../domain/names.ts';
import { polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { index, integer, pgEnum, pgTable, sql, text, uniqueIndex } from './drizzle.ts';

export const emailPurpose = pgEnum('email_purpose', emailPurposes);
export const emailRequestState = pgEnum('email_request_state', emailRequestStates);

/**
 * Requested mails that prove ownership of an address, and their state. A row is inserted for every
 * address alike; only the worker checks who owns the address.
 */
export const emailRequests = pgTable(
  'email_requests',
  {
    request_id: text('request_id').primaryKey(),
    purpose: emailPurpose('purpose').notNull(),
    /** Person to whom the address will be attached; null for a login. */
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    address_blind: bytea('address_blind').notNull(),
    address_sealed: bytea('address_sealed').notNull(),
    /** Hash of the token in the mail. 256 bits of the token are derived from the id. */
    token_hash: bytea('token_hash').notNull(),
    /** Version of the master secret from which token and code are derived. */
    secret_version: integer('secret_version').notNull().default(1),
    /** Hash of the cookie of the requesting browser. */
    browser_hash: bytea('browser_hash').notNull(),
    /** Keyed digest of the requesting network; null if unknown. */
    network_blind: bytea('network_blind'),
    app_id: text('app_id'),
    return_to: text('return_to'),
    locale: text('locale'),
    state: emailRequestState('state').notNull(),
    code_tries: integer('code_tries').notNull().default(0),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    /** When its workflow was signaled. */
    taken_at: instant('taken_at'),
    /** When it was admitted under the daily mail limits. */
    admitted_at: instant('admitted_at'),
    mailed_at: instant('mailed_at'),
    consumed_at: instant('consumed_at'),
  },
  (table) => [
    uniqueIndex('email_requests_token').on(table.token_hash),
    index('email_requests_address').on(table.address_blind, table.created_at),
    index('email_requests_asker')
      .on(table.poly_user_id, table.created_at)
      .where(sql`poly_user_id IS NOT NULL`),
    index('email_requests_age').on(table.created_at),
    index('email_requests_untaken')
      .on(table.created_at)
      .where(sql`taken_at IS NULL`),
  ],
);
