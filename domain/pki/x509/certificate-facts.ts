import { createHash, X509Certificate } from 'node:crypto';
import { isCertifiedBy } from './is-certified-by.ts';
import { kidOf } from './thumbprint.ts';

/** Some thousands of people sign in within an hour; each certificate takes a few KiB. */
const openedMax = 2_048;
const opened = new Map<string, X509Certificate>();

/**
 * Opens a certificate of our store. The same bytes give the same object, which caches immutable
 * facts (the least recently used is evicted first). Whether it is current, revoked or on hold
 * depends on its row and the clock, each time.
 */
export function openCertificate(der: Buffer): X509Certificate {
  const key = der.toString('latin1');
  const known = opened.get(key);
  opened.delete(key);
  const certificate = known ?? new X509Certificate(der);
  if (opened.size >= openedMax) opened.delete(opened.keys().next().value ?? '');
  opened.set(key, certificate);
  return certificate;
}

/** Immutable facts of a certificate, read once. */
export interface CertificateFacts {
  readonly isCa: boolean;
  /** RFC 7638 thumbprint of its key. */
  readonly kid: string;
  /** DER in base64, as in `x5c` (RFC 7515 §4.1.6). */
  readonly base64: string;
  /** SHA-256 of the DER in base64url: `x5t#S256` (RFC 7515 §4.1.8). */
  readonly sha256: string;
}

const facts = new WeakMap<X509Certificate, CertificateFacts>();

export function factsOf(certificate: X509Certificate): CertificateFacts {
  const known = facts.get(certificate);
  if (known) return known;
  const read = {
    isCa: certificate.ca,
    kid: kidOf(certificate),
    base64: certificate.raw.toString('base64'),
    sha256: createHash('sha256').update(certificate.raw).digest('base64url'),
  };
  facts.set(certificate, read);
  return read;
}

const issuers = new WeakMap<X509Certificate, X509Certificate>();

/**
 * Whether `issuer` issued `subject`, by name and by signature (RFC 5280 §6.1.3 a 1 and 4). Caches a
 * positive result for the last issuer.
 */
export function isIssuedBy(subject: X509Certificate, issuer: X509Certificate): boolean {
  if (issuers.get(subject) === issuer) return true;
  if (!subject.checkIssued(issuer) || !isCertifiedBy(subject, issuer)) return false;
  issuers.set(subject, issuer);
  return true;
}
