import { ssoKinds, type AccessTokenType, type Role } from '../../domain/names.ts';
import { accounts, loginEmails, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { boolean, index, integer, jsonb, pgEnum, pgTable, text, uniqueIndex } from './drizzle.ts';

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
    /** One that is not is kept with its secret, and nobody signs in by it. */
    enabled: boolean('enabled').notNull().default(true),
    issuer: text('issuer').notNull(),
    client_id: text('client_id').notNull(),
    client_secret_sealed: bytea('client_secret_sealed'),
    audience: text('audience'),
    /** Clients whose tokens are taken; none named: our own id alone. */
    client_ids: text('client_ids').array().notNull().default([]),
    token_type: text('token_type').$type<AccessTokenType>().notNull().default('at+jwt'),
    /** Whose addresses its word is taken for, as a POLYADMIN has vouched. */
    email_domains: text('email_domains').array().notNull().default([]),
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

/**
 * Who a subject of an issuer is in an account: somebody made for it, or whoever has the login email
 * it was first known by.
 */
export const ssoSubjects = pgTable(
  'sso_subjects',
  {
    /** A keyed digest of account, issuer and subject: what the issuer calls people is not kept. */
    digest: bytea('digest').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    issuer: text('issuer').notNull(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    identity_id: integer('identity_id').references(() => loginEmails.identity_id),
    /** The domain that was vouched for when the login email was taken. */
    email_domain: text('email_domain'),
    created_at: instant('created_at').notNull(),
    last_login_at: instant('last_login_at').notNull(),
  },
  (table) => [
    // A mail address that was given to another person at the issuer is not theirs here.
    uniqueIndex('sso_subjects_identity').on(table.account_id, table.issuer, table.identity_id),
    index('sso_subjects_user').on(table.poly_user_id),
  ],
);
