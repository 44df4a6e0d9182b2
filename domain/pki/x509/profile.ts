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
  /** Number of CAs that may be below this one; null for a leaf. */
  readonly pathLength: number | null;
  readonly usages: number;
  readonly purposes: readonly string[];
  readonly arePurposesCritical: boolean;
  /**
   * Where the certificate says its revocation is published: in CRLs only, because their signer is
   * offline; in OCSP as well; or nowhere, which id-pkix-ocsp-nocheck states (RFC 6960 §4.2.2.2.1).
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
 * The profile of each role. A time-stamping key outlives the archive it stamps. NSS distrusts a
 * seal without emailProtection. A time-stamping purpose must be critical and the only one (RFC 3161
 * §2.3). Services have a CA of their own, so that an incident of the people CA leaves affidavits
 * untouched. Each CA names the purposes that it certifies, and no others count below it
 * (`mayCertify`). A short-lived key of each CA signs OCSP responses. A CA with that purpose would
 * itself be a responder of the root (RFC 6960 §4.2.2.2), so no CA names it.
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

/** The part of a certificate that names its purposes. */
export interface PurposedCertificate {
  /** Extended key usage. Node's types say string[], but it is undefined if absent. */
  readonly keyUsage: readonly string[] | undefined;
}

/**
 * Whether an issuing CA may certify keys for a purpose: its extended key usage must name it. RFC
 * 5280 leaves this to the verifier; OpenSSL and NSS apply the same rule.
 */
export const mayCertify = ({ keyUsage = [] }: PurposedCertificate, purpose: string): boolean =>
  keyUsage.includes(purpose);
