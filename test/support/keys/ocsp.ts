import type { X509Certificate } from 'node:crypto';
import { issuerHashes } from '../../../domain/pki/revocation/ocsp-response.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { platformKeys } from './bundles.ts';

export const ocspType = { 'content-type': 'application/ocsp-request' } as const;
export const sha1 = '1.3.14.3.2.26';

/** A CertID with SHA-1 hashes (RFC 6960 §4.1.1). */
export function certIdOf(authority: X509Certificate, serial: string): Buffer {
  const { nameHash, keyHash } = issuerHashes(authority, 'sha1');
  const algorithm = der.sequence(der.oid(sha1), Buffer.of(5, 0));
  const number = der.integer(Buffer.from(serial, 'hex'));
  return der.sequence(algorithm, der.octets(nameHash), der.octets(keyHash), number);
}

/** Encodes an OCSP request with these extensions. */
export function ocspRequest(certIds: readonly Uint8Array[], ...extensions: Uint8Array[]): Buffer {
  const list = der.sequence(...certIds.map((id) => der.sequence(id)));
  const more = extensions.length > 0 ? [der.context(2, der.sequence(...extensions))] : [];
  return der.sequence(der.sequence(list, ...more));
}

/** An OCSP request for the certificate of the platform's seal. */
export function sealRequest(): Buffer {
  const { seal, servicesCa } = platformKeys();
  return ocspRequest([certIdOf(servicesCa.certificate, seal.certificate.serialNumber)]);
}
