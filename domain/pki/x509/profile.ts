const dayMs = 24 * 3600_000;
const yearMs = 365 * dayMs;

export type CertificateRole =
  | 'root'
  | 'people-ca'
  | 'services-ca'
  | 'seal'
  | 'tsa'
  | 'tokens'
  | 'ocsp'
  | 'user';

/** Bits of KeyUsage (RFC 5280 §4.2.1.3). */
export const keyUsages = {
  digitalSignature: 1,
  nonRepudiation: 2,
  keyCertSign: 32,
  cRLSign: 64,
} as const;

/** Extended key usages (RFC 5280 §4.2.1.12; RFC 9336 for documentSigning, RFC 9509 for jwt). */
export const purposes = {
  clientAuth: '1.3.6.1.5.5.7.3.2',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  jwt: '1.3.6.1.5.5.7.3.37',
} as const;

export interface CertificateProfile {
  readonly lifeMsMax: number;
  readonly curve: 'P-256' | 'P-384';
  /** How many CAs may stand below this one; null for a leaf. */
  readonly pathLength: number | null;
  readonly usages: number;
  readonly purposes: readonly string[];
  readonly arePurposesCritical: boolean;
  /**
   * Where it says its revocation is told: by lists alone, whose signer is offline; by OCSP besides;
   * or nowhere, which it says with id-pkix-ocsp-nocheck (RFC 6960 §4.2.2.2.1).
   */
  readonly revocation: 'crl' | 'crl-and-ocsp' | 'none';
}

const ca = {
  usages: keyUsages.keyCertSign | keyUsages.cRLSign,
  arePurposesCritical: false,
  revocation: 'crl',
} as const;
const leaf = {
  curve: 'P-256',
  pathLength: null,
  arePurposesCritical: false,
  revocation: 'crl-and-ocsp',
} as const;
const evidence = keyUsages.digitalSignature | keyUsages.nonRepudiation;

/**
 * What a certificate of each role may be. A time-stamping key outlives the archive it stamps; a
 * seal without emailProtection is distrusted by NSS; a time-stamping purpose must be critical and
 * alone (RFC 3161 §2.3). Services have a CA of their own, so that an incident of the people CA
 * leaves affidavits untouched: each CA names the purposes it certifies for, and no other counts
 * below it (`mayCertify`). OCSP answers are signed by a short-lived key of each CA: a CA with that
 * purpose would itself be a responder of the root (RFC 6960 §4.2.2.2), so that none names it.
 */
export const profiles: Readonly<Record<CertificateRole, CertificateProfile>> = {
  root: { ...ca, lifeMsMax: 20 * yearMs, curve: 'P-384', pathLength: 1, purposes: [] },
  'people-ca': {
    ...ca,
    lifeMsMax: 5 * yearMs,
    curve: 'P-256',
    pathLength: 0,
    purposes: [purposes.clientAuth],
  },
  'services-ca': {
    ...ca,
    lifeMsMax: 12 * yearMs,
    curve: 'P-256',
    pathLength: 0,
    purposes: [
      purposes.documentSigning,
      purposes.emailProtection,
      purposes.timeStamping,
      purposes.jwt,
    ],
  },
  seal: {
    ...leaf,
    lifeMsMax: 2 * yearMs,
    usages: evidence,
    purposes: [purposes.documentSigning, purposes.emailProtection],
  },
  tsa: {
    ...leaf,
    lifeMsMax: 12 * yearMs,
    usages: evidence,
    purposes: [purposes.timeStamping],
    arePurposesCritical: true,
  },
  tokens: {
    ...leaf,
    lifeMsMax: 2 * yearMs,
    usages: keyUsages.digitalSignature,
    purposes: [purposes.jwt],
  },
  ocsp: {
    ...leaf,
    lifeMsMax: 7 * dayMs,
    usages: keyUsages.digitalSignature,
    purposes: [purposes.ocspSigning],
    revocation: 'none',
  },
  user: {
    ...leaf,
    lifeMsMax: yearMs,
    usages: keyUsages.digitalSignature,
    purposes: [purposes.clientAuth],
  },
};

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
