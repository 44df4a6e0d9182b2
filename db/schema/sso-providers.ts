import { index, integer, jsonb, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { ssoKinds, type Role } from '../names.ts';
import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';

export const ssoKind = pgEnum('sso_kind', ssoKinds);

/** Whose access tokens are exchanged for sessions of an account, and what its groups may do. */
export const ssoProviders = pgTable(
  'sso_providers',
  {
    /** The name callers give; nobody else on the platform has it. */
    provider: text('provider').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    kind: ssoKind('kind').notNull(),
    issuer: text('issuer').notNull(),
    client_id: text('client_id').notNull(),
    client_secret_sealed: bytea('client_secret_sealed'),
    audience: text('audience'),
    /** The claim that lists a person's groups. */
    group_claim: text('group_claim').notNull(),
    group_roles: jsonb('group_roles').$type<Record<string, Role>>().notNull(),
    /** The highest role a sign-in by it may hold. */
    role_ceiling: text('role_ceiling').$type<Role>().notNull(),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
  },
  (table) => [index('sso_providers_account').on(table.account_id)],
);
