import type { AndroidIdentity, AppleIdentity } from '../../domain/identity/app-identities.ts';
import {
  appKinds,
  appStates,
  imageRetentionDaysMax,
  imageRetentionDaysUsual,
  subjectReasons,
  type FaceProvider,
  type SubjectReasons,
} from '../../domain/names.ts';
import { bytea, instant, oneOf } from './columns.ts';
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  serial,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';

export const accounts = pgTable(
  'accounts',
  {
    account_id: serial('account_id').primaryKey(),
    name: text('name').notNull(),
    logo_url: text('logo_url'),
    verified: boolean('verified').notNull().default(false),
    /** Days after its end that the images and uploaded files of a check are kept. */
    image_retention_days: integer('image_retention_days')
      .notNull()
      .default(imageRetentionDaysUsual),
    /** Face provider that judges faces instead of this service; null for none. */
    face_provider: text('face_provider').$type<FaceProvider>(),
    /** How much checks that begin from now on disclose to the person about reasons. */
    subject_reasons: text('subject_reasons').$type<SubjectReasons>().notNull().default('plain'),
    disabled_at: instant('disabled_at'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    oneOf('accounts_subject_reasons_known', table.subject_reasons, subjectReasons),
    check(
      'accounts_image_retention_days_range',
      sql`${table.image_retention_days} BETWEEN 0 AND ${sql.raw(String(imageRetentionDaysMax))}`,
    ),
  ],
);

export const userKind = pgEnum('user_kind', ['cert', 'email']);

export const polyUsers = pgTable('poly_users', {
  poly_user_id: text('poly_user_id').primaryKey(),
  identity_group_id: text('identity_group_id').notNull(),
  kind: userKind('kind').notNull(),
  /** If this email-only person turned out to be a person with a certified device: that person. */
  adopted_by: text('adopted_by'),
  created_at: instant('created_at').notNull(),
});

export const memberships = pgTable(
  'memberships',
  {
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    roles: text('roles').array().notNull(),
    /** Sign-in provider whose groups determine the roles; null if the roles were set by hand. */
    managed_by: text('managed_by'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.poly_user_id, table.account_id] }),
    index('memberships_account').on(table.account_id),
  ],
);

export const loginEmailStatus = pgEnum('login_email_status', ['ACTIVE', 'REVOKED']);

export const loginEmails = pgTable(
  'login_emails',
  {
    identity_id: serial('identity_id').primaryKey(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    email_sealed: bytea('email_sealed').notNull(),
    email_blind: bytea('email_blind').notNull(),
    status: loginEmailStatus('status').notNull(),
    verified_at: instant('verified_at'),
    last_login_at: instant('last_login_at'),
    revoked_at: instant('revoked_at'),
  },
  (table) => [
    uniqueIndex('login_emails_address').on(table.email_blind),
    index('login_emails_user').on(table.poly_user_id),
  ],
);

/**
 * Invited addresses of an account. Each has a placeholder person who holds the membership until
 * a person proves the address. A row does not show whether the address belongs to a known person.
 */
export const invitedAddresses = pgTable(
  'invited_addresses',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    email_blind: bytea('email_blind').notNull(),
    /** The address as it was invited, sealed like a login email. */
    address_sealed: bytea('address_sealed').notNull(),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account_id, table.email_blind] }),
    index('invited_addresses_address').on(table.email_blind),
  ],
);

/**
 * People invited to an account by their id. Each has a placeholder person who holds the membership
 * until they accept.
 */
export const invitedPeople = pgTable(
  'invited_people',
  {
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    invited_id: text('invited_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    poly_user_id: text('poly_user_id')
      .notNull()
      .references(() => polyUsers.poly_user_id),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account_id, table.invited_id] }),
    index('invited_people_invited').on(table.invited_id),
  ],
);

export const appKind = pgEnum('app_kind', appKinds);
export const appStatus = pgEnum('app_status', appStates);

export const apps = pgTable(
  'apps',
  {
    app_id: text('app_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    name: text('name').notNull(),
    kind: appKind('kind').notNull(),
    status: appStatus('status').notNull().default('active'),
    livemode: boolean('livemode').notNull().default(true),
    redirect_url: text('redirect_url'),
    allowed_origins: text('allowed_origins').array().notNull(),
    logo_url: text('logo_url'),
    /** Format `#rrggbb`. */
    brand_color: text('brand_color'),
    support_email: text('support_email'),
    support_url: text('support_url'),
    auto_redirect: boolean('auto_redirect').notNull().default(false),
    default_proofs: text('default_proofs').array().notNull(),
    tos_url: text('tos_url'),
    tos_version: text('tos_version').notNull(),
    install_url: text('install_url'),
    apple: jsonb('apple').$type<AppleIdentity>(),
    android: jsonb('android').$type<AndroidIdentity>(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [index('apps_account').on(table.account_id)],
);

/**
 * Logos shown on pages, as this service encoded them, for apps that have a logo and are not
 * archived. The same image of two apps is stored twice, which avoids reference counts.
 */
export const appLogos = pgTable(
  'app_logos',
  {
    app_id: text('app_id')
      .primaryKey()
      .references(() => apps.app_id),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    /** Hex SHA-256 of `png`. It names the logo in public URLs. */
    sha256: text('sha256').notNull(),
    png: bytea('png').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [index('app_logos_sha256').on(table.sha256)],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    key_id: text('key_id').primaryKey(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    name: text('name').notNull(),
    hash: bytea('hash').notNull(),
    roles: text('roles').array().notNull(),
    livemode: boolean('livemode').notNull(),
    /** The only operations the key may call, as `FAMILY:read|write`; null for all. */
    scopes: text('scopes').array(),
    /** The only apps the key may access; null for all apps of the account. */
    app_ids: text('app_ids').array(),
    /** The person or the API key that created it; null for a command of the operator. */
    created_by: text('created_by'),
    /**
     * Member, signed in through a provider, whose membership the key depends on. It is the member
     * of the session that created the key, or is copied from the key that created it. Null for an
     * independent key.
     */
    sso_member: text('sso_member').references(() => polyUsers.poly_user_id),
    sso_provider: text('sso_provider'),
    expires_at: instant('expires_at'),
    revoked_at: instant('revoked_at'),
    /** The key that a rotation created from this one; null if it was not rotated. */
    replaced_by: text('replaced_by'),
    last_used_at: instant('last_used_at'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    index('api_keys_account').on(table.account_id, table.created_at),
    index('api_keys_sso_member')
      .on(table.sso_member)
      .where(sql`sso_member IS NOT NULL`),
  ],
);
