import type { CertificateKind, RevocationReason } from '../../names.ts';
import * as der from '../write-der.ts';

/** A revoked certificate of one CA. */
export interface RevokedCertificate {
  readonly serial: string;
  /** Null for a CA, which is on the root's list. */
  readonly kind: CertificateKind | null;
  readonly revoked_at: Date;
  readonly revocation_reason: RevocationReason;
  readonly invalidity_date: Date | null;
}

/** Time from which a key is not trusted (RFC 5280 §5.3.2). */
const invalidityDate = '2.5.29.24';

/** Signature algorithms of certificates, CRLs and OCSP responses (RFC 5758 §3.2). */
export const algorithms = {
  ES256: '1.2.840.10045.4.3.2',
  ES384: '1.2.840.10045.4.3.3',
} as const;

/** CRLReason (RFC 5280 §5.3.1). */
const reasonCodes: Readonly<Record<RevocationReason, number>> = {
  unspecified: 0,
  compromised: 1,
  superseded: 4,
};

/**
 * Returns the reason code, or null to omit it. RFC 5280 §5.3.1 requires to omit an unspecified
 * reason, but keys of our services keep it. A time-stamp authority is one of them, and a revocation
 * without a reason voids all its stamps (RFC 3161 §4).
 */
export function reasonCodeOf({
  kind,
  revocation_reason: reason,
}: Pick<RevokedCertificate, 'kind' | 'revocation_reason'>): number | null {
  return reason === 'unspecified' && kind !== 'services' ? null : reasonCodes[reason];
}

/** Returns the invalidity date extension (RFC 5280 §5.3.2); empty if the date is unknown. */
export function invalidityDateOf(row: Pick<RevokedCertificate, 'invalidity_date'>): Buffer[] {
  const { invalidity_date: date } = row;
  return date ? [der.extension(invalidityDate, der.generalizedTime(date))] : [];
}
