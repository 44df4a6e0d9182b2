import { certificateKinds, revocationReasons } from '../../domain/names.ts';
import type { PublicJwk } from '../../domain/pki/x509/thumbprint.ts';
import { polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { devices } from './devices.ts';
import { bigint, boolean, check, index, jsonb, pgEnum, pgTable, sql, text } from './drizzle.ts';

export const certificateKind = pgEnum('certificate_kind', certificateKinds);
export const revocationReason = pgEnum('revocation_reason', revocationReasons);

/**
 * Every certificate that an issuing CA signed or was about to sign. The serial is stored before
 * signing, so every existing certificate can be revoked.
 */
export const certificates = pgTable(
  'certificates',
  {
    /** Hex. */
    serial: text('serial').primaryKey(),
    kind: certificateKind('kind').notNull(),
    /** Key id of the CA; selects its CRL. */
    issuer_kid: text('issuer_kid').notNull(),
    /** RFC 7638 thumbprint of the certified key. */
    kid: text('kid').notNull(),
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    device_id: text('device_id').references(() => devices.device_id),
    public_jwk: jsonb('public_jwk').$type<PublicJwk>().notNull(),
    /** Null until it is signed. */
    der: bytea('der'),
    not_before: instant('not_before').notNull(),
    not_after: instant('not_after').notNull(),
    revoked_at: instant('revoked_at'),
    revocation_reason: revocationReason('revocation_reason'),
    /** Time from which the key is not trusted, if earlier than the revocation. */
    invalidity_date: instant('invalidity_date'),
  },
  (table) => [
    index('certificates_user').on(table.poly_user_id),
    index('certificates_device').on(table.device_id),
    index('certificates_kid').on(table.kid),
    index('certificates_revoked')
      .on(table.issuer_kid, table.revoked_at)
      .where(sql`${table.revoked_at} IS NOT NULL`),
    check(
      'certificates_of_a_user',
      sql`(${table.kind} = 'people') = (${table.poly_user_id} IS NOT NULL)`,
    ),
    check(
      'certificates_reason',
      sql`(${table.revoked_at} IS NULL) = (${table.revocation_reason} IS NULL)`,
    ),
  ],
);

/** Last signed CRL of each CA, and whether a certificate was revoked since. */
export const crls = pgTable('crls', {
  issuer_kid: text('issuer_kid').primaryKey(),
  /** CRLNumber (RFC 5280 §5.2.3); 0 before the first CRL is signed. */
  number: bigint('number', { mode: 'number' }).notNull(),
  der: bytea('der'),
  is_stale: boolean('is_stale').notNull(),
  this_update: instant('this_update'),
  next_update: instant('next_update'),
});
