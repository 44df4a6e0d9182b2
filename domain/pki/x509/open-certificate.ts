import { X509Certificate } from 'node:crypto';
import { MalformedDer } from '../read-der.ts';

/**
 * Opens the certificate in exactly these DER bytes. node:crypto also searches the bytes for PEM and
 * would use that instead.
 * @throws `MalformedDer`
 */
export function openCertificate(der: Uint8Array): X509Certificate {
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(der);
  } catch {
    throw new MalformedDer('not a certificate');
  }
  if (!x509.raw.equals(der)) throw new MalformedDer('a certificate within a certificate');
  return x509;
}
