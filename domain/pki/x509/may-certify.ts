import { profiles, purposes } from './profile.ts';

/** What the services CA is called in every key directory that was made here. */
export const servicesCaName = 'trustcheck services CA';

/** The part of a certificate that says what it is for. */
export interface PurposedCertificate {
  readonly subject: string;
  /** Extended key usage; Node's types say string[], but a certificate without it has none. */
  readonly keyUsage: readonly string[] | undefined;
}

/**
 * Whether an issuing CA may certify keys for a purpose: its extended key usage names it, and what
 * stands below may be no more (RFC 5280 leaves it to the verifier; OpenSSL and NSS read it so). A
 * CA that names none was made before they did. Its name, which the root has signed, tells which one
 * it is: the services CA, or else one for people, whose key never seals.
 */
export function mayCertify({ subject, keyUsage }: PurposedCertificate, purpose: string): boolean {
  if (keyUsage) return keyUsage.includes(purpose);
  const isOfServices = subject === `CN=${servicesCaName}`;
  return isOfServices
    ? profiles['services-ca'].purposes.includes(purpose)
    : purpose === purposes.clientAuth;
}
