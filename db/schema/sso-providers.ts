import { ssoKinds, type AccessTokenType, type Role } from '../../domain/names.ts';
import { accounts, loginEmails, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { boolean, index, integer, jsonb, pgEnum, pgTable, text, uniqueIndex } from './drizzle.ts';

export const ssoKind = pgEnum('sso_kind', ssoKinds);

/**
 * Sign-in providers. Their access tokens are exchanged for sessions of an account, and their groups
 * map to roles.
 */
export const ssoProviders = pgTable(
  'sso_providers',
  {
    /** Name in requests, unique on the platform. */
    provider: text('provider').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    kind: ssoKind('kind').notNull(),
    /** A disabled provider keeps its secret, but sign-in through it is refused. */
    enabled: boolean('enabled').notNull().default(true),
    issuer: text('issuer').notNull(),
    client_id: text('client_id').notNull(),
    client_secret_sealed: bytea('client_secret_sealed'),
    audience: text('audience'),
    /** Client ids whose tokens are accepted; empty for only `client_id`. */
    client_ids: text('client_ids').array().notNull().default([]),
    token_type: text('token_type').$type<AccessTokenType>().notNull().default('at+jwt'),
    /**
     * Email domains for which the provider's addresses are trusted, as confirmed by a POLYADMIN.
     */
    email_domains: text('email_domains').array().notNull().default([]),
    /** Claim with the groups of a person. */
    group_claim: text('group_claim').notNull(),
    group_roles: jsonb('group_roles').$type<Record<string, Role>>().notNull(),
    /** Highest role that a sign-in through it may have. */
    role_ceiling: text('role_ceiling').$type<Role>().notNull(),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
  },
  (table) => [index('sso_providers_account').on(table.account_id)],
);

/**
 * The person that a subject of an issuer is in an account. It is a person created for the subject,
 * or the owner of the login email by which the subject was first recognized.
 */
export const ssoSubjects = pgTable(
  'sso_subjects',
  {
    /** Keyed digest of account, issuer and subject. The subject itself is not stored. */
    digest: bytea('digest').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    issuer: text('issuer').notNull(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    identity_id: integer('identity_id').references(() => loginEmails.identity_id),
    /** The trusted domain at the time the login email was bound. */
    email_domain: text('email_domain'),
    created_at: instant('created_at').notNull(),
    last_login_at: instant('last_login_at').notNull(),
  },
  (table) => [
    // If the issuer reassigns a mail address to another subject, that subject does not get the
    // first one's person.
    uniqueIndex('sso_subjects_identity').on(table.account_id, table.issuer, table.identity_id),
    index('sso_subjects_user').on(table.poly_user_id),
  ],
);
