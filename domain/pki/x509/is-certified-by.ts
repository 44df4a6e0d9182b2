import type { X509Certificate } from 'node:crypto';

/** Valid signatures on CAs: the same few CAs are above every phone and every bundle. */
const verified = new Set<string>();
const verifiedMax = 1_000;

/**
 * Whether the issuer's key signed a certificate (RFC 5280 §6.1.3 a 1). Checks neither names nor
 * dates. Never throws; false if the key cannot be read.
 */
export function isCertifiedBy(subject: X509Certificate, issuer: X509Certificate): boolean {
  const pair = subject.ca ? `${subject.fingerprint256} ${issuer.fingerprint256}` : null;
  if (pair !== null && verified.has(pair)) return true;
  if (!isSigned(subject, issuer)) return false;
  if (verified.size >= verifiedMax) verified.clear();
  if (pair !== null) verified.add(pair);
  return true;
}

function isSigned(subject: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return subject.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
