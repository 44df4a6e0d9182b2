import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { index, integer, pgTable, primaryKey, text } from './drizzle.ts';

/** Maps an account of a conference platform to one of our accounts. */
export const platformAccounts = pgTable(
  'platform_accounts',
  {
    platform: text('platform').notNull(),
    external_id: text('external_id').notNull(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    created_at: instant('created_at').notNull(),
    /** The key or person that last connected it; null if no consent was given. */
    connected_by: text('connected_by'),
    connected_at: instant('connected_at'),
  },
  (table) => [primaryKey({ columns: [table.platform, table.external_id] })],
);

/** Consent flows in progress at a conference platform, by a digest of `state`. */
export const platformFlows = pgTable(
  'platform_flows',
  {
    state_hash: bytea('state_hash').primaryKey(),
    flow_id: text('flow_id').notNull(),
    platform: text('platform').notNull(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** The key or the session that started the flow; only the same one can complete it. */
    begun_by: text('begun_by').notNull(),
    /** Platform account named by its administrator; null until then. */
    external_id: text('external_id'),
    /** PKCE verifier and OpenID nonce of the sign-in; null before the sign-in. */
    secrets_sealed: bytea('secrets_sealed'),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('platform_flows_expiry').on(table.expires_at)],
);
