/** The part of a certificate that says what it is for. */
export interface PurposedCertificate {
  /** Extended key usage; Node's types say string[], but a certificate without it has none. */
  readonly keyUsage: readonly string[] | undefined;
}

/**
 * Whether an issuing CA may certify keys for a purpose: its extended key usage names it, and what
 * stands below may be no more (RFC 5280 leaves it to the verifier; OpenSSL and NSS read it so).
 */
export const mayCertify = ({ keyUsage = [] }: PurposedCertificate, purpose: string): boolean =>
  keyUsage.includes(purpose);
