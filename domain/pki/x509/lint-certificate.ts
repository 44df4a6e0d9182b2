import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { mayCertify, profiles, type CertificateRole } from './profile.ts';

const serialBytes = { min: 8, max: 20 } as const;
const oids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  crlDistribution: '2.5.29.31',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInfo: '1.3.6.1.5.5.7.1.1',
} as const;
/** Extension of a responder: its own revocation is not checked (RFC 6960 §4.2.2.2.1). */
export const ocspNoCheck = '1.3.6.1.5.5.7.48.1.5';
const critical: readonly string[] = [oids.keyUsage, oids.basicConstraints];

/** The request was for a certificate that its profile forbids; `faults` names each broken rule. */
export class CertificateProfileError extends Error {
  override readonly name = 'CertificateProfileError';
  readonly faults: readonly string[];

  constructor(role: CertificateRole, faults: readonly string[]) {
    super(`a ${role} certificate must not be issued so: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

/**
 * Validates a certificate against the profile of its role before it is signed: RFC 5280 §4.1 and
 * §4.2, and rules that independent validators enforce.
 * @param issuer null for the self-signed root
 * @returns the rules that it breaks, in words; empty if it may be issued
 */
export function lintCertificate(
  certificate: x509.X509Certificate,
  role: CertificateRole,
  issuer: x509.X509Certificate | null,
): string[] {
  const rules = [
    serialRule(certificate),
    lifeRule(certificate, role, issuer),
    nameRule(certificate, issuer),
    subjectRule(certificate, role),
    issuerRule(role, issuer),
    curveRule(certificate, role),
    constraintsRule(certificate, role),
    usageRule(certificate, role),
    purposesRule(certificate, role),
    keyIdsRule(certificate, issuer),
    pointersRule(certificate, role, issuer),
    extensionsRule(certificate, role, issuer),
  ];
  return rules.filter((fault) => fault !== null);
}

/** RFC 5280 §4.1.2.2: positive, at most 20 octets; at least 64 random bits. */
function serialRule(certificate: x509.X509Certificate): string | null {
  const bytes = Buffer.from(certificate.serialNumber, 'hex');
  if (((bytes[0] ?? 0x80) & 0x80) !== 0) return 'the serial is not positive';
  const fits = bytes.length >= serialBytes.min && bytes.length <= serialBytes.max;
  return fits ? null : 'the serial is not of 8 to 20 octets';
}

function lifeRule(
  certificate: x509.X509Certificate,
  role: CertificateRole,
  issuer: x509.X509Certificate | null,
): string | null {
  const { notBefore, notAfter } = certificate;
  if (notAfter <= notBefore) return 'it ends before it begins';
  const lifeMs = notAfter.getTime() - notBefore.getTime();
  if (lifeMs > profiles[role].lifeMsMax) return 'it lives longer than its role allows';
  if (issuer && notAfter > issuer.notAfter) return 'it outlives its issuer';
  return issuer && notBefore < issuer.notBefore ? 'it begins before its issuer' : null;
}

/**
 * The subject is one common name. A user's certificate identifies the user by an opaque id only.
 */
function nameRule(
  certificate: x509.X509Certificate,
  issuer: x509.X509Certificate | null,
): string | null {
  const names = certificate.subjectName.toJSON();
  const [first] = names;
  const common = first?.['CN'];
  if (names.length !== 1 || !first || Object.keys(first).length !== 1 || common?.length !== 1) {
    return 'the subject is not one common name';
  }
  if ((common[0] ?? '').length === 0 || (common[0] ?? '').length > 64) {
    return 'the common name is not of 1 to 64 characters';
  }
  const expected = issuer?.subjectName ?? certificate.subjectName;
  const isIssuer = same(expected.toArrayBuffer(), certificate.issuerName.toArrayBuffer());
  return isIssuer ? null : 'the issuer is not named as it names itself';
}

/** A user's certificate is public: its subject has the form of an opaque id, never of a name. */
function subjectRule(certificate: x509.X509Certificate, role: CertificateRole): string | null {
  if (role !== 'user') return null;
  const [name] = certificate.subjectName.getField('CN');
  return /^[A-Za-z0-9_-]{1,64}$/.test(name ?? '') ? null : 'the subject is no opaque id';
}

/**
 * RFC 5280 §4.2.1.9: the root certifies only CAs. Each of these certifies only leaves for the
 * purposes that it names, and its own OCSP responder, which it need not name.
 */
function issuerRule(role: CertificateRole, issuer: x509.X509Certificate | null): string | null {
  if (!issuer) return role === 'root' ? null : 'only a root signs itself';
  const constraints = issuer.getExtension(x509.BasicConstraintsExtension);
  const { pathLength, purposes } = profiles[role];
  const needed = pathLength === null ? 0 : pathLength + 1;
  const isDeep = role !== 'root' && constraints?.ca === true && constraints.pathLength === needed;
  const keyUsage = issuer.getExtension(x509.ExtendedKeyUsageExtension)?.usages.map(String);
  const isNamed = pathLength === null && role !== 'ocsp';
  const isFor = !isNamed || purposes.every((purpose) => mayCertify({ keyUsage }, purpose));
  return isDeep && isFor ? null : 'its issuer does not certify its role';
}

function curveRule(certificate: x509.X509Certificate, role: CertificateRole): string | null {
  const { algorithm } = certificate.publicKey;
  const curve = 'namedCurve' in algorithm ? algorithm.namedCurve : null;
  return curve === profiles[role].curve ? null : `the key is not on ${profiles[role].curve}`;
}

function constraintsRule(certificate: x509.X509Certificate, role: CertificateRole): string | null {
  const found = certificate.getExtension(x509.BasicConstraintsExtension);
  const { pathLength } = profiles[role];
  const isRight =
    found?.ca === (pathLength !== null) && found.pathLength === (pathLength ?? undefined);
  return isRight ? null : 'the basic constraints are not those of its role';
}

function usageRule(certificate: x509.X509Certificate, role: CertificateRole): string | null {
  const found = certificate.getExtension(x509.KeyUsagesExtension);
  return Number(found?.usages) === profiles[role].usages
    ? null
    : 'the key usage is not that of its role';
}

function purposesRule(certificate: x509.X509Certificate, role: CertificateRole): string | null {
  const found = certificate.getExtension(x509.ExtendedKeyUsageExtension);
  const profile = profiles[role];
  const isCritical = found?.critical ?? false;
  const isRight =
    (found?.usages ?? []).join() === profile.purposes.join() &&
    isCritical === profile.arePurposesCritical;
  return isRight ? null : 'the extended key usage is not that of its role';
}

/** RFC 5280 §4.2.1.1–2; EU DSS refuses a chain if its CA lacks an SKI. */
function keyIdsRule(
  certificate: x509.X509Certificate,
  issuer: x509.X509Certificate | null,
): string | null {
  const own = certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  if (!own) return 'it has no subject key identifier';
  if (!issuer) return null;
  const named = certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  const theirs = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  return named && named === theirs ? null : 'the authority key identifier is not its issuer’s';
}

/** Addresses of the issuer: one CRL, its certificate, and its OCSP responder if it has one. */
function pointersRule(
  certificate: x509.X509Certificate,
  role: CertificateRole,
  issuer: x509.X509Certificate | null,
): string | null {
  const { revocation } = profiles[role];
  if (!issuer || revocation === 'none') return null;
  const crl = certificate.getExtension(x509.CRLDistributionPointsExtension);
  const [point, ...others] = crl?.distributionPoints ?? [];
  const [name] = point?.distributionPoint?.fullName ?? [];
  const isCrl = /^https?:\/\/\S+\.crl$/.test(name?.uniformResourceIdentifier ?? '');
  if (!isCrl || others.length > 0) return 'it does not name one CRL';
  const access = certificate.getExtension(x509.AuthorityInfoAccessExtension);
  const [ca] = access?.caIssuers ?? [];
  if (!/^https?:\/\/\S+\.cer$/.test(ca?.value ?? '')) return 'it does not name its issuer';
  const responders = access?.ocsp ?? [];
  const isRight =
    revocation === 'crl'
      ? responders.length === 0
      : responders.length === 1 && /^https?:\/\/\S+\/ocsp$/.test(responders[0]?.value ?? '');
  return isRight ? null : 'it does not name the OCSP responder as its role asks';
}

/** No repeated and no unknown extension; critical exactly where required (RFC 5280 §4.2). */
function extensionsRule(
  certificate: x509.X509Certificate,
  role: CertificateRole,
  issuer: x509.X509Certificate | null,
): string | null {
  const profile = profiles[role];
  const expected: string[] = [oids.subjectKeyId, oids.keyUsage, oids.basicConstraints];
  if (profile.purposes.length > 0) expected.push(oids.extendedKeyUsage);
  if (issuer) expected.push(oids.authorityKeyId);
  if (profile.revocation === 'none') expected.push(ocspNoCheck);
  else if (issuer) expected.push(oids.crlDistribution, oids.authorityInfo);
  const found = certificate.extensions.map((extension) => extension.type);
  if (found.toSorted().join() !== expected.toSorted().join()) {
    return 'its extensions are not those of its role';
  }
  const wrong = certificate.extensions.find(
    ({ type, critical: isCritical }) =>
      type !== oids.extendedKeyUsage && isCritical !== critical.includes(type),
  );
  return wrong ? `extension ${wrong.type} is critical or not where it must be otherwise` : null;
}

function same(a: ArrayBuffer, b: ArrayBuffer): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
}
