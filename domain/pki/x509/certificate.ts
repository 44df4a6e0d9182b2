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
  /** Names and SubjectPublicKeyInfo as in the certificate. */
  readonly issuerName: Element;
  readonly subjectName: Element;
  readonly spki: Uint8Array;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  /** If an extension is repeated, the last one. */
  readonly extensions: Extensions;
  readonly hasRepeatedExtension: boolean;
  /**
   * Opened at the first call.
   * @throws `MalformedDer` if node:crypto refuses the certificate
   */
  readonly x509: () => X509Certificate;
  /** Null if node:crypto cannot read the key: an unknown algorithm or curve. */
  readonly publicKey: () => KeyObject | null;
}

const certificateBytesMax = 16 * 1024;

/**
 * Reads a DER certificate of at most 16 KiB. node:crypto must be able to open it, and no extension
 * may be repeated (RFC 5280 §4.2).
 * @throws `MalformedDer`
 */
export function readCertificate(der: Uint8Array): Certificate {
  if (der.length > certificateBytesMax) throw new MalformedDer('the certificate is too long');
  const certificate = readFields(der);
  if (certificate.hasRepeatedExtension) throw new MalformedDer('an extension stands twice');
  certificate.x509();
  return certificate;
}

/**
 * Reads the fields of exactly one DER certificate without further requirements: published lists
 * contain certificates that `readCertificate` refuses.
 * @throws `MalformedDer`
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
 * Reads the certificates of a PEM text.
 * @throws `MalformedDer` if there is none
 */
export function readPem(pem: string): Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!blocks) throw new MalformedDer('no certificate in the PEM');
  return blocks.map((block) =>
    readCertificate(Buffer.from(block.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')),
  );
}

/** Returns a DER certificate as PEM (RFC 7468 §5.1), with a final line break. */
export function pemOf(der: Uint8Array): string {
  const base64 = Buffer.from(der).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/**
 * Returns why `parent` did not issue `child`, or null if it did (RFC 5280 §6.1.3, §6.1.4): names
 * chain, the issuer is a CA that may sign certificates, the signature is valid. Dates are a
 * separate check.
 */
export function issueFaultOf(child: Certificate, parent: Certificate): string | null {
  if (!isAuthority(parent)) return 'the issuer is no certificate authority';
  if (!child.x509().checkIssued(parent.x509())) return 'names do not chain';
  return signFaultOf(child, parent);
}

/** Like `issueFaultOf`, but the issuer need not be a CA: names chain, the signature is valid. */
export function signFaultOf(child: Certificate, parent: Certificate): string | null {
  const { oid } = child.signatureAlgorithm;
  if (weakSignatures.has(oid)) return 'the signature algorithm is too weak';
  if (child.x509().issuer !== parent.x509().subject) return 'names do not chain';
  return isCertifiedBy(child.x509(), parent.x509()) ? null : 'the signature does not hold';
}

/** Returns why `at` is outside the validity (RFC 5280 §4.1.2.5, both ends inclusive), or null. */
export function dateFaultOf({ x509 }: Certificate, at: Date): string | null {
  const { validFromDate, validToDate } = x509();
  if (!(validFromDate <= at)) return `not valid before ${validFromDate.toISOString()}`;
  return at <= validToDate ? null : `not valid after ${validToDate.toISOString()}`;
}

/** Whether it has CA:true, and keyCertSign if it has a key usage (RFC 5280 §4.2.1.3, §4.2.1.9). */
export function isAuthority({ x509, extensions }: Certificate): boolean {
  const usage = keyUsageOf(extensions) ?? keyUsages.keyCertSign;
  return x509().ca && (usage & keyUsages.keyCertSign) !== 0;
}

/**
 * Returns how many CAs may follow this one on the path to the leaf (RFC 5280 §4.2.1.9); null if
 * absent or longer than one octet.
 */
export function pathLengthOf({ extensions }: Certificate): number | null {
  const length = basicConstraintsOf(extensions)?.pathLength;
  return length?.length === 1 ? (length[0] ?? 0) : null;
}

/**
 * Returns a critical extension that is not judged here, or null; a chain with one must be refused
 * (RFC 5280 §4.2).
 * @param judged further extensions that the caller judges
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

/**
 * Returns the key as node:crypto encodes it, DER. Throws its errors for keys that it cannot read.
 */
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

/** Runs a node:crypto call on untrusted bytes; returns null if it throws. */
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
