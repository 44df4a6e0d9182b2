import { createHash, X509Certificate } from 'node:crypto';
import type { z } from 'zod';
import type { RevocationMark } from '../../activities/keys/directory/key-metadata.ts';
import type { RetiredKey } from '../../activities/keys/directory/load-retired.ts';
import type { SignedCertificateRow } from '../../db/queries/certificates.ts';
import { kidOf, publicJwkOf } from '../../domain/pki/x509/thumbprint.ts';
import type { jwkBody } from './contract.ts';

export type Jwk = z.output<typeof jwkBody>;

/**
 * Returns a certificate's key as a JWK (RFC 7517) with its certificates, leaf first, and its dates.
 */
export function presentKey(
  certificate: X509Certificate,
  issuers: readonly X509Certificate[] = [],
): Jwk {
  const jwk = publicJwkOf(certificate.publicKey);
  const nbf = secondsOf(certificate.validFromDate);
  return {
    ...jwk,
    kid: kidOf(certificate),
    use: 'sig',
    alg: jwk.crv === 'P-384' ? 'ES384' : 'ES256',
    x5c: [certificate, ...issuers].map(({ raw }) => raw.toString('base64')),
    'x5t#S256': createHash('sha256').update(certificate.raw).digest('base64url'),
    nbf,
    iat: nbf,
    exp: secondsOf(certificate.validToDate),
  };
}

/** Returns a retired key, marked like a person's key if it was revoked. */
export function presentRetired({ certificate, revoked }: RetiredKey): Jwk {
  const { use, ...key } = presentKey(certificate);
  if (!revoked) return { ...key, use };
  const { revoked_at, reason, invalidity_date = null } = revoked;
  const row = { revoked_at, revocation_reason: reason, invalidity_date };
  return { ...key, ...(isCompromised(row) ? { key_ops: [] } : { use }), ...revocationOf(row) };
}

export interface UserKeySetFacts {
  readonly now: Date;
  /** Includes expired and revoked keys, for archival verification. */
  readonly isWhole: boolean;
  /** The CA of each certificate by its key id, if it is still known. */
  readonly issuerOf: (kid: string) => X509Certificate | undefined;
  /**
   * The revocation of a CA by its key id; null if it is trusted. None of a revoked CA's
   * certificates is valid.
   */
  readonly markOf: (kid: string) => RevocationMark | null;
}

/**
 * Returns the key set of a person from their certificates, valid and newer ones first. By default
 * it has one entry for each key that is valid now, and never a compromised key, even if another
 * certificate has it. The whole set repeats a key for each of its certificates, but only the first
 * entry can be used.
 */
export function presentUserKeys(
  stored: readonly SignedCertificateRow[],
  { now, isWhole, issuerOf, markOf }: UserKeySetFacts,
): Jwk[] {
  const rows = stored.map((row) => underItsCa(row, markOf(row.issuer_kid)));
  const compromised = new Set(rows.filter(isCompromised).map(({ kid }) => kid));
  const isGood = (row: SignedCertificateRow): boolean =>
    isGoodAt(row, now) && !compromised.has(row.kid);
  const newestFirst = rows.toSorted((a, b) => b.not_after.getTime() - a.not_after.getTime());
  const [good, other] = [newestFirst.filter(isGood), newestFirst.filter((row) => !isGood(row))];
  const seen = new Set<string>();
  const keys: Jwk[] = [];
  for (const row of isWhole ? [...good, ...other] : good) {
    const isAnother = seen.has(row.kid);
    if (isAnother && !isWhole) continue;
    seen.add(row.kid);
    keys.push(presentUserKey(row, issuerOf, isAnother || compromised.has(row.kid)));
  }
  return keys;
}

/**
 * Revokes certificates that a process issued with a stolen CA before it received the revocation.
 */
function underItsCa(row: SignedCertificateRow, mark: RevocationMark | null): SignedCertificateRow {
  if (!mark || row.revoked_at) return row;
  const { revoked_at, invalidity_date = null } = mark;
  return { ...row, revoked_at, revocation_reason: 'unspecified', invalidity_date };
}

/**
 * Returns one entry. Revocation uses the form of OpenID Federation 1.0 (Federation Historical
 * Keys). A key that must not verify by its JWK alone allows no operation. So verifiers that ignore
 * `revoked` fail closed, while archival ones use x5c and the dates.
 */
function presentUserKey(
  row: SignedCertificateRow,
  issuerOf: UserKeySetFacts['issuerOf'],
  isDisabled: boolean,
): Jwk {
  const issuer = issuerOf(row.issuer_kid);
  const { use, ...key } = presentKey(new X509Certificate(row.der), issuer ? [issuer] : []);
  return { ...key, ...(isDisabled ? { key_ops: [] } : { use }), ...revocationOf(row) };
}

type Revocable = Pick<SignedCertificateRow, 'revoked_at' | 'revocation_reason' | 'invalidity_date'>;

function revocationOf(row: Revocable): Pick<Jwk, 'revoked'> {
  if (!row.revoked_at) return {};
  return {
    revoked: {
      revoked_at: secondsOf(row.revoked_at),
      reason: row.revocation_reason ?? 'unspecified',
      ...(row.invalidity_date ? { invalidity_date: secondsOf(row.invalidity_date) } : {}),
    },
  };
}

function isGoodAt(row: SignedCertificateRow, at: Date): boolean {
  return row.revoked_at === null && row.not_before <= at && row.not_after > at;
}

function isCompromised(row: Pick<Revocable, 'revocation_reason'>): boolean {
  return row.revocation_reason === 'compromised';
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
