import type { X509Certificate } from 'node:crypto';

/** Valid signatures on CAs: the same few CAs are above every phone and every bundle. */
const held = new Set<string>();
const heldMax = 1_000;

/**
 * Whether the issuer's key signed a certificate (RFC 5280 §6.1.3 a 1). Checks neither names nor
 * dates. Never throws; false if the key cannot be read.
 */
export function isCertifiedBy(subject: X509Certificate, issuer: X509Certificate): boolean {
  const pair = subject.ca ? `${subject.fingerprint256} ${issuer.fingerprint256}` : null;
  if (pair !== null && held.has(pair)) return true;
  if (!isSigned(subject, issuer)) return false;
  if (held.size >= heldMax) held.clear();
  if (pair !== null) held.add(pair);
  return true;
}

function isSigned(subject: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return subject.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
