import type { KeyObject, X509Certificate } from 'node:crypto';
import {
  childrenOf,
  MalformedDer,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../read-der.ts';
import { readAlgorithm, type AlgorithmIdentifier } from './algorithms.ts';
import {
  basicConstraintsOf,
  extensionOids,
  keyUsageOf,
  keyUsages,
  readExtensions,
  type Extensions,
} from './extensions.ts';
import { isCertifiedBy } from './is-certified-by.ts';
import { openCertificate } from './open-certificate.ts';

/** The fields of a certificate (RFC 5280 §4.1). node:crypto reads key, dates and signature. */
export interface Certificate {
  readonly der: Uint8Array;
  /** INTEGER contents in hexadecimal. */
  readonly serial: string;
  /** Names and SubjectPublicKeyInfo as they stand in the certificate. */
  readonly issuerName: Element;
  readonly subjectName: Element;
  readonly spki: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** Of a repeated extension the last one. */
  readonly extensions: Extensions;
  readonly hasRepeatedExtension: boolean;
  /** Opened at the first call. Throws `MalformedDer` where node:crypto refuses the certificate. */
  readonly x509: () => X509Certificate;
  /** Null where node:crypto cannot read the key: an unknown algorithm or curve. */
  readonly publicKey: () => KeyObject | null;
}

const certificateBytesMax = 16 * 1024;

/**
 * Reads a DER certificate of at most 16 KiB, which node:crypto can open and in which every
 * extension is there once (RFC 5280 §4.2). Throws `MalformedDer`.
 */
export function readCertificate(der: Uint8Array): Certificate {
  if (der.length > certificateBytesMax) throw new MalformedDer('the certificate is too long');
  const certificate = readFields(der);
  if (certificate.hasRepeatedExtension) throw new MalformedDer('an extension stands twice');
  certificate.x509();
  return certificate;
}

/**
 * Reads the fields of a DER certificate, nothing after it, and asks for no more: published lists
 * hold certificates that `readCertificate` refuses. Throws `MalformedDer`.
 */
export function readFields(der: Uint8Array): Certificate {
  const parts = childrenOf(readElement(der, tags.sequence).contents);
  const rest = childrenOf(take(parts, tags.sequence).contents);
  const signatureAlgorithm = readAlgorithm(take(parts, tags.sequence).whole);
  takeIf(rest, 0xa0);
  const serial = take(rest, tags.integer).contents;
  take(rest, tags.sequence);
  const issuerName = take(rest, tags.sequence);
  take(rest, tags.sequence);
  const subjectName = take(rest, tags.sequence);
  const spki = take(rest, tags.sequence).whole;
  const field = rest.find(({ tag }) => tag === 0xa3);
  const extensions = field ? readExtensions(field.contents) : [];
  const byOid = new Map(extensions.map((each) => [each.oid, each]));
  const x509 = once(() => openCertificate(der));
  return {
    der,
    serial: Buffer.from(serial).toString('hex'),
    issuerName,
    subjectName,
    spki,
    signatureAlgorithm,
    extensions: byOid,
    hasRepeatedExtension: byOid.size < extensions.length,
    x509,
    publicKey: once(() => orNull(() => x509().publicKey)),
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

/** A DER certificate as PEM (RFC 7468 §5.1), its last line ended. */
export function pemOf(der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/**
 * Why `child` was not issued by `parent`, or null when it was (RFC 5280 §6.1.3, §6.1.4): names
 * chain, the issuer is a CA that may sign certificates, the signature holds. Dates are a check of
 * their own.
 */
export function issueFaultOf(child: Certificate, parent: Certificate): string | null {
  if (!isAuthority(parent)) return 'the issuer is no certificate authority';
  if (!child.x509().checkIssued(parent.x509())) return 'names do not chain';
  return signFaultOf(child, parent);
}

/** As `issueFaultOf`, of an issuer that need not be a CA: names chain, the signature holds. */
export function signFaultOf(child: Certificate, parent: Certificate): string | null {
  const { oid } = child.signatureAlgorithm;
  if (weakSignatures.has(oid)) return 'the signature algorithm is too weak';
  if (child.x509().issuer !== parent.x509().subject) return 'names do not chain';
  return isCertifiedBy(child.x509(), parent.x509()) ? null : 'the signature does not hold';
}

/** Why `at` is outside the validity, both ends of which count (RFC 5280 §4.1.2.5), or null. */
export function dateFaultOf({ x509 }: Certificate, at: Date): string | null {
  const { validFromDate, validToDate } = x509();
  if (!(validFromDate <= at)) return `not valid before ${validFromDate.toISOString()}`;
  return at <= validToDate ? null : `not valid after ${validToDate.toISOString()}`;
}

/** CA:true, and keyCertSign where key usage is said at all (RFC 5280 §4.2.1.3, §4.2.1.9). */
export function isAuthority({ x509, extensions }: Certificate): boolean {
  const usage = keyUsageOf(extensions) ?? keyUsages.keyCertSign;
  return x509().ca && (usage & keyUsages.keyCertSign) !== 0;
}

/** How many CAs may follow this one on the way to the leaf (RFC 5280 §4.2.1.9), one octet's. */
export function pathLengthOf({ extensions }: Certificate): number | null {
  const length = basicConstraintsOf(extensions)?.pathLength;
  return length?.length === 1 ? (length[0] ?? 0) : null;
}

/**
 * A critical extension that is not judged here; a chain that has one must be refused (RFC 5280
 * §4.2).
 * @param judged what the caller judges besides
 */
export function unknownCriticalOf(
  { extensions }: Certificate,
  judged: readonly string[] = [],
): string | null {
  for (const [oid, { isCritical }] of extensions) {
    if (isCritical && !known.has(oid) && !judged.includes(oid)) return oid;
  }
  return null;
}

/** The key as node:crypto writes it, DER. Throws its errors for keys it cannot read. */
export const spkiOf = ({ x509 }: Certificate): Buffer =>
  x509().publicKey.export({ format: 'der', type: 'spki' });

export const isSame = (one: Certificate, other: Certificate): boolean =>
  Buffer.compare(one.der, other.der) === 0;

/** MD5 and SHA-1, with RSA and with ECDSA. */
const weakSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
]);

const known: ReadonlySet<string> = new Set([
  extensionOids.subjectKeyId,
  extensionOids.keyUsage,
  extensionOids.basicConstraints,
  extensionOids.authorityKeyId,
]);

/** What node:crypto makes of bytes that need not be what they claim; null when it throws. */
export function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
