import type { X509Certificate } from 'node:crypto';
import { readCertificate } from './certificate.ts';
import { extensionOids } from './extensions.ts';
import { purposes } from './profile.ts';

/**
 * Whether a certificate is for time stamps only, with a critical purpose (RFC 3161 §2.3).
 * @throws `MalformedDer`
 */
export function isForStampsAlone(certificate: X509Certificate): boolean {
  // Node's types say string[], but without the extension it is undefined.
  const found: readonly string[] | undefined = certificate.keyUsage;
  const { extensions } = readCertificate(certificate.raw);
  const isCritical = extensions.get(extensionOids.extendedKeyUsage)?.isCritical === true;
  return isCritical && (found ?? []).join() === purposes.timeStamping;
}
