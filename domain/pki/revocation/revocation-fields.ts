import type { CertificateKind, RevocationReason } from '../../names.ts';
import * as der from '../write-der.ts';

/** A certificate that its CA has revoked. */
export interface RevokedCertificate {
  readonly serial: string;
  /** Null of a CA, whose list is the root's. */
  readonly kind: CertificateKind | null;
  readonly revoked_at: Date;
  readonly revocation_reason: RevocationReason;
  readonly invalidity_date: Date | null;
}

/** Since when a key is not to be trusted (RFC 5280 §5.3.2). */
const invalidityDate = '2.5.29.24';

/** Signature algorithms of certificates, CRLs and OCSP answers (RFC 5758 §3.2). */
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
 * The code of the reason, or null where it is left out: an unspecified one, as RFC 5280 §5.3.1
 * asks, but not among the keys of our services. A time-stamp authority is one of them, and where
 * its revocation says no reason, all that it ever stamped is void (RFC 3161 §4).
 */
export function reasonCodeOf({
  kind,
  revocation_reason: reason,
}: Pick<RevokedCertificate, 'kind' | 'revocation_reason'>): number | null {
  return reason === 'unspecified' && kind !== 'services' ? null : reasonCodes[reason];
}

/** Since when the key is not to be trusted (RFC 5280 §5.3.2), where that is known. */
export function invalidityDateOf(row: Pick<RevokedCertificate, 'invalidity_date'>): Buffer[] {
  const { invalidity_date: date } = row;
  return date ? [der.extension(invalidityDate, der.generalizedTime(date))] : [];
}
