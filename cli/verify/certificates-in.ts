import { X509Certificate } from 'node:crypto';

/**
 * Reads the certificates of a file: all PEM blocks (RFC 7468 §5), or else one certificate in DER.
 * @throws a one-line error if there is none
 */
export function certificatesIn(file: Buffer): X509Certificate[] {
  const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  const blocks = file.toString('latin1').match(block);
  if (!blocks) return [inDer(file)];
  try {
    return blocks.map((each) => new X509Certificate(each));
  } catch (cause) {
    throw new Error('not a certificate in PEM', { cause });
  }
}

function inDer(file: Buffer): X509Certificate {
  const fault = 'no certificate in PEM or DER';
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(file);
  } catch (cause) {
    throw new Error(fault, { cause });
  }
  // Trailing bytes would be ignored silently.
  if (!certificate.raw.equals(file)) throw new Error(fault);
  return certificate;
}
