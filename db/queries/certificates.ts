import type { CertificateKind, RevocationReason } from '../../domain/names.ts';
import type { PublicJwk } from '../../domain/pki/x509/thumbprint.ts';
import { firstOf, sharing, statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { certificates } from '../schema/certificates.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { membershipsSql, type StoredMembership } from './memberships.ts';

export type CertificateRow = typeof certificates.$inferSelect;

const {
  der,
  device_id,
  issuer_kid,
  kid,
  kind,
  not_after,
  not_before,
  poly_user_id,
  public_jwk,
  serial,
} = certificates;

/** A row with a signed certificate. */
export type SignedCertificateRow = CertificateRow & { readonly der: Buffer };
/** Data to validate a certified key in use, with the memberships of its owner. */
export interface HeldCertificateRow {
  readonly der: Buffer;
  readonly issuer_kid: string;
  readonly device_id: string | null;
  /** When the device with the key was revoked; null if not revoked, or without a device. */
  readonly device_revoked_at: Date | null;
  readonly memberships: readonly StoredMembership[];
}

/** A user has few devices and renews yearly. Beyond this number the oldest are omitted. */
const userCertificatesMax = 500;

const insert = prepare(
  'certificates.insert',
  { serial, kind, issuer_kid, kid, poly_user_id, device_id, public_jwk, not_before, not_after },
  ({ by }) => build.insert(certificates).values(by),
);
const insertOnce = prepare(
  'certificates.insert_once',
  { serial, issuer_kid, kid, public_jwk, not_before, not_after, der },
  ({ by }) =>
    build
      .insert(certificates)
      .values({ ...by, kind: 'services' })
      .onConflictDoNothing({ target: serial }),
);
const sign = prepare('certificates.sign', { serial, der }, ({ by, equals }) =>
  build
    .update(certificates)
    .set({ der: by.der })
    .where(and(equals.serial, isNull(der)))
    .returning({ serial }),
);
const ofUser = statement<SignedCertificateRow>(
  'certificates.of_user',
  `SELECT * FROM certificates WHERE poly_user_id = :polyUserId AND der IS NOT NULL
   ORDER BY not_before DESC, serial LIMIT ${userCertificatesMax}`,
);
const current = `WHERE c.poly_user_id = :polyUserId AND c.kid = :kid AND c.der IS NOT NULL
     AND c.revoked_at IS NULL AND c.not_before <= :at AND c.not_after > :at
     AND NOT EXISTS (SELECT 1 FROM certificates o
       WHERE o.kid = c.kid AND o.revocation_reason = 'compromised')
   ORDER BY c.not_after DESC, c.serial LIMIT 1`;
const currentOfUser = statement<SignedCertificateRow>(
  'certificates.current_of_user',
  `SELECT c.* FROM certificates c ${current}`,
);
const heldByUser = sharing<HeldCertificateRow>(
  'certificates.held_by_user',
  `SELECT c.der, c.issuer_kid, c.device_id, d.revoked_at AS device_revoked_at,
     ${membershipsSql} AS memberships
   FROM certificates c LEFT JOIN devices d USING (device_id) ${current}`,
  'read',
);
const keyStolen = statement(
  'certificates.key_stolen',
  `SELECT 1 FROM certificates WHERE kid = :kid AND revocation_reason = 'compromised' LIMIT 1`,
);
const keysStolen = statement<{ kid: string }>(
  'certificates.keys_stolen',
  `SELECT DISTINCT kid FROM certificates
   WHERE kid = ANY(:kids::text[]) AND revocation_reason = 'compromised'`,
);
const userCertified = statement(
  'certificates.user_certified',
  'SELECT 1 FROM certificates WHERE poly_user_id = :polyUserId AND not_after > :at LIMIT 1',
);
const userExists = statement<{ poly_user_id: string }>(
  'certificates.user_known',
  'SELECT poly_user_id FROM poly_users WHERE poly_user_id = :polyUserId',
);
/**
 * A revocation is final; only its reason can become more severe. The same statement marks the CRL
 * as stale and ends the sessions of the device.
 */
const revokeText = (which: string): string => `
  WITH revoked AS (
    UPDATE certificates SET revoked_at = coalesce(revoked_at, :at), revocation_reason = :reason,
      invalidity_date = coalesce(:invalidityDate, invalidity_date)
    WHERE ${which} AND (revoked_at IS NULL
      OR (:reason = 'compromised'::revocation_reason AND revocation_reason <> 'compromised'))
    RETURNING serial, issuer_kid, device_id
  ), ended AS (
    UPDATE sessions SET revoked_at = :at WHERE sid IN (
      SELECT sid FROM sessions
      WHERE device_id IN (SELECT device_id FROM revoked) AND revoked_at IS NULL
      ORDER BY sid FOR NO KEY UPDATE)
  ), told AS (
    INSERT INTO crls (issuer_kid, number, is_stale)
    SELECT DISTINCT issuer_kid, 0, true FROM revoked
    ON CONFLICT (issuer_kid) DO UPDATE SET is_stale = true
  )
  SELECT serial FROM revoked ORDER BY serial`;
const revokeDevice = statement<{ serial: string }>(
  'certificates.revoke_device',
  revokeText('device_id = :deviceId'),
);
const revokeSerial = statement<{ serial: string }>(
  'certificates.revoke_serial',
  revokeText('serial = :serial'),
);
const revokeIssuer = statement<{ serial: string }>(
  'certificates.revoke_issuer',
  revokeText('issuer_kid = :issuerKid'),
);
const revokeRecovered = statement<{ serial: string }>(
  'certificates.revoke_recovered',
  revokeText(`kind = 'people' AND poly_user_id = :polyUserId
      AND device_id IS DISTINCT FROM :deviceId`),
);
const statesOf = statement<CertificateStateRow>(
  'certificates.states',
  `SELECT serial, kind, not_before, revoked_at, revocation_reason, invalidity_date
   FROM certificates
   WHERE serial = ANY(:serials) AND issuer_kid = :issuerKid AND der IS NOT NULL`,
);
export interface NewCertificate {
  /** Hex. */
  readonly serial: string;
  readonly kind: CertificateKind;
  readonly issuer_kid: string;
  readonly kid: string;
  readonly poly_user_id: string | null;
  readonly device_id: string | null;
  readonly public_jwk: PublicJwk;
  readonly not_before: Date;
  readonly not_after: Date;
}

/**
 * Stores a serial before its certificate is signed.
 * @throws if the serial is already used
 */
export async function insertCertificate(on: Queryable, row: NewCertificate): Promise<void> {
  await insert(on, row);
}

/** Stores the signed certificate of a serial. Returns false if it is already signed. */
export async function keepSigned(on: Queryable, serial: string, der: Uint8Array): Promise<boolean> {
  return (await sign(on, { serial, der })).length > 0;
}

/** Inserts a platform certificate that was issued with the key directory. Safe to repeat. */
export async function enterServiceCertificate(
  on: Queryable,
  row: Omit<NewCertificate, 'kind' | 'poly_user_id' | 'device_id'>,
  der: Uint8Array,
): Promise<void> {
  await insertOnce(on, { ...row, der });
}

/** Returns the signed certificates of a user, newest first, expired and revoked ones included. */
export async function listUserCertificates(
  on: Queryable,
  polyUserId: string,
): Promise<SignedCertificateRow[]> {
  return ofUser(on, { polyUserId });
}

/** Returns the certificate that makes a user's key valid at an instant, or null. */
export async function findCurrentCertificate(
  on: Queryable,
  polyUserId: string,
  kid: string,
  at: Date,
): Promise<SignedCertificateRow | null> {
  return firstOf(await currentOfUser(on, { polyUserId, kid, at }));
}

/**
 * Returns true if a person has an unexpired certificate. A revoked one counts: otherwise its
 * revocation would lift the requirement of a recent device proof.
 */
export async function isUserCertified(
  on: Queryable,
  polyUserId: string,
  at: Date,
): Promise<boolean> {
  return (await userCertified(on, { polyUserId, at })).length > 0;
}

/** Like `findCurrentCertificate`, with the device and its owner's current memberships. */
export async function findHeldCertificate(
  on: Queryable,
  polyUserId: string,
  kid: string,
  at: Date,
): Promise<HeldCertificateRow | null> {
  return firstOf(await heldByUser(on, { polyUserId, kid, at }));
}

export async function hasUser(on: Queryable, polyUserId: string): Promise<boolean> {
  return (await userExists(on, { polyUserId })).length > 0;
}

/** Returns true if any certificate of a key was revoked as possibly stolen. */
export async function isKeyStolen(on: Queryable, kid: string): Promise<boolean> {
  return (await keyStolen(on, { kid })).length > 0;
}

/** Returns the keys with a certificate that was revoked as possibly stolen. */
export async function findStolenKeys(on: Queryable, kids: readonly string[]): Promise<string[]> {
  return (await keysStolen(on, { kids })).map(({ kid }) => kid);
}

export interface Revocation {
  readonly at: Date;
  readonly reason: RevocationReason;
  /** Since when the key may be compromised. */
  readonly invalidityDate?: Date | null;
}

/**
 * Revokes every certificate of a device, expired ones included, and ends the sessions it opened.
 * The CRL of their CA is signed again at the next request.
 * @returns the serials that this call changed
 */
export async function revokeByDevice(
  on: Queryable,
  deviceId: string,
  { at, reason, invalidityDate = null }: Revocation,
): Promise<string[]> {
  const rows = await revokeDevice(on, { deviceId, at, reason, invalidityDate });
  return rows.map(({ serial }) => serial);
}

/**
 * Revokes one certificate and ends the sessions its device opened. Returns false if it is unknown,
 * or already revoked for a reason at least as severe.
 */
export async function revokeBySerial(
  on: Queryable,
  serial: string,
  { at, reason, invalidityDate = null }: Revocation,
): Promise<boolean> {
  return (await revokeSerial(on, { serial, at, reason, invalidityDate })).length > 0;
}

/** Revokes every certificate of a person except those of one device, and ends their sessions. */
export async function revokeByRecovery(
  on: Queryable,
  polyUserId: string,
  deviceId: string,
  { at, reason }: Pick<Revocation, 'at' | 'reason'>,
): Promise<void> {
  await revokeRecovered(on, { polyUserId, at, reason, invalidityDate: null, deviceId });
}

export type CertificateStateRow = Pick<
  CertificateRow,
  'serial' | 'kind' | 'not_before' | 'revoked_at' | 'revocation_reason' | 'invalidity_date'
>;

/** Returns the certificates that a CA issued under these serials. Meant for few serials. */
export async function listStates(
  on: Queryable,
  issuerKid: string,
  serials: readonly string[],
): Promise<CertificateStateRow[]> {
  return statesOf(on, { serials, issuerKid });
}

/**
 * Revokes every certificate that a CA issued, and ends the sessions of their devices.
 * @returns how many this call changed
 */
export async function revokeByIssuer(
  on: Queryable,
  issuerKid: string,
  { at, reason, invalidityDate = null }: Revocation,
): Promise<number> {
  return (await revokeIssuer(on, { issuerKid, at, reason, invalidityDate })).length;
}
