import { readCrl } from '../../domain/pki/revocation/crl.ts';

/**
 * Reads the revocation lists of a file: one in DER, or several in PEM.
 * @throws a one-line error if there is none
 */
export function listsIn(file: Buffer): Uint8Array[] {
  const block = /-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g;
  const pems = [...file.toString('latin1').matchAll(block)];
  const ders = pems.length > 0 ? pems.map(([, text = '']) => Buffer.from(text, 'base64')) : [file];
  try {
    for (const der of ders) readCrl(der);
  } catch (cause) {
    throw new Error('no CRL in PEM or DER', { cause });
  }
  return ders;
}
