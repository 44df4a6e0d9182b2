import type { KeyObject, X509Certificate } from 'node:crypto';
import { childrenOf, MalformedDer, oidOf, readElement, take, takeIf, tags } from '../read-der.ts';
import { isCertifiedBy } from './is-certified-by.ts';
import { openCertificate } from './open-certificate.ts';

/** A certificate read twice: by node:crypto for keys, dates, signatures; by us for extensions. */
export interface Certificate {
  readonly der: Uint8Array;
  readonly x509: X509Certificate;
  /** INTEGER contents, big-endian. */
  readonly serial: Uint8Array;
  /** The Name as it stands in the certificate. */
  readonly issuer: Uint8Array;
  readonly signatureAlgorithm: string;
  readonly extensions: ReadonlyMap<string, Extension>;
}

export interface Extension {
  readonly critical: boolean;
  /** What the extension's OCTET STRING holds. */
  readonly value: Uint8Array;
}

const certificateBytesMax = 16 * 1024;
const keyUsageOid = '2.5.29.15';
const keyCertSign = 0x04;

/** Reads a DER certificate (RFC 5280 §4.1), nothing after it. Throws `MalformedDer`. */
export function readCertificate(der: Uint8Array): Certificate {
  if (der.length > certificateBytesMax) throw new MalformedDer('the certificate is too long');
  const parts = childrenOf(readElement(der, tags.sequence).contents);
  const rest = childrenOf(take(parts, tags.sequence).contents);
  const [algorithm] = childrenOf(take(parts, tags.sequence).contents);
  takeIf(rest, 0xa0);
  const serial = take(rest, tags.integer).contents;
  take(rest, tags.sequence);
  const issuer = take(rest, tags.sequence).whole;
  const extensions = rest.find(({ tag }) => tag === 0xa3);
  if (algorithm?.tag !== tags.oid) throw new MalformedDer('no signature algorithm');
  return {
    der,
    x509: openCertificate(der),
    serial,
    issuer,
    signatureAlgorithm: oidOf(algorithm.contents),
    extensions: extensions ? readExtensions(extensions.contents) : new Map(),
  };
}

/**
 * The certificates of a PEM text, one after the other. Throws `MalformedDer` when there is none.
 */
export function readPem(pem: string): Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!blocks) throw new MalformedDer('no certificate in the PEM');
  return blocks.map((block) =>
    readCertificate(Buffer.from(block.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')),
  );
}

/**
 * Why `child` was not issued by `parent`, or null when it was (RFC 5280 §6.1.3, §6.1.4): names
 * chain, the issuer is a CA that may sign certificates, the signature holds. Dates are a check of
 * their own.
 */
export function issueFaultOf(child: Certificate, parent: Certificate): string | null {
  if (!isAuthority(parent)) return 'the issuer is no certificate authority';
  if (!child.x509.checkIssued(parent.x509)) return 'names do not chain';
  return signFaultOf(child, parent);
}

/** As `issueFaultOf`, of an issuer that need not be a CA: names chain, the signature holds. */
export function signFaultOf(child: Certificate, parent: Certificate): string | null {
  if (weakSignatures.has(child.signatureAlgorithm)) return 'the signature algorithm is too weak';
  if (child.x509.issuer !== parent.x509.subject) return 'names do not chain';
  return isCertifiedBy(child.x509, parent.x509) ? null : 'the signature does not hold';
}

/** The key of a certificate; null where node:crypto cannot read it. */
export function publicKeyOf({ x509 }: Certificate): KeyObject | null {
  try {
    return x509.publicKey;
  } catch {
    return null;
  }
}

/** Why `at` is outside the validity, both ends of which count (RFC 5280 §4.1.2.5), or null. */
export function dateFaultOf({ x509 }: Certificate, at: Date): string | null {
  if (!(x509.validFromDate <= at)) return `not valid before ${x509.validFromDate.toISOString()}`;
  return at <= x509.validToDate ? null : `not valid after ${x509.validToDate.toISOString()}`;
}

/** CA:true, and keyCertSign where key usage is said at all (RFC 5280 §4.2.1.3, §4.2.1.9). */
export function isAuthority(certificate: Certificate): boolean {
  return certificate.x509.ca && ((keyUsageOf(certificate) ?? keyCertSign) & keyCertSign) !== 0;
}

/** The first octet of the keyUsage bit string (RFC 5280 §4.2.1.3); null where nothing is said. */
export function keyUsageOf({ extensions }: Certificate): number | null {
  const usage = extensions.get(keyUsageOid);
  return usage ? (readElement(usage.value, tags.bitString).contents[1] ?? 0) : null;
}

/**
 * Critical extensions nobody here knows; a chain that has one must be refused (RFC 5280 §4.2).
 * @param judged what the caller knows besides
 */
export function unknownCriticalOf(
  { extensions }: Certificate,
  judged: readonly string[] = [],
): string | null {
  for (const [oid, { critical }] of extensions) {
    if (critical && !known.has(oid) && !judged.includes(oid)) return oid;
  }
  return null;
}

/** The key as SubjectPublicKeyInfo, DER. Throws node:crypto's errors for keys it cannot read. */
export const spkiOf = ({ x509 }: Certificate): Buffer =>
  x509.publicKey.export({ format: 'der', type: 'spki' });

export const isSame = (one: Certificate, other: Certificate): boolean =>
  Buffer.compare(one.der, other.der) === 0;

/** MD5 and SHA-1, with RSA and with ECDSA. */
const weakSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
]);

/** Key identifiers, key usage, basic constraints. */
const known: ReadonlySet<string> = new Set(['2.5.29.14', '2.5.29.15', '2.5.29.19', '2.5.29.35']);

/** Extensions by their names, each once (RFC 5280 §4.2). Throws `MalformedDer`. */
export function readExtensions(contents: Uint8Array): Map<string, Extension> {
  const found = new Map<string, Extension>();
  for (const extension of childrenOf(readElement(contents, tags.sequence).contents)) {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    const critical = takeIf(rest, tags.boolean)?.contents[0] === 0xff;
    if (found.has(oid)) throw new MalformedDer('an extension stands twice');
    found.set(oid, { critical, value: take(rest, tags.octetString).contents });
  }
  return found;
}
