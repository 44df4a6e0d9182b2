import type { X509Certificate } from 'node:crypto';
import type { Tx } from '../../../db/client.ts';
import { insertCertificate, keepSigned } from '../../../db/queries/certificates.ts';
import { pemOf } from '../../../domain/pki/x509/certificate.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';

/** A signed certificate with the CA that signed it. */
export interface SignedCertificate {
  readonly certificate: X509Certificate;
  readonly issuer: { readonly kid: string; readonly certificate: X509Certificate };
}

export interface CertificateHolder {
  readonly polyUserId: string;
  /** The row of the device exists already. */
  readonly deviceId: string | null;
}

export interface UserCertificate {
  /** PEM, leaf first, then the people CA; without the root. */
  readonly chain: readonly string[];
  /** Hex, as stored. */
  readonly serial: string;
  /** RFC 7638 SHA-256 thumbprint of the certified key. */
  readonly kid: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Records a signed certificate of a user. It is accepted, and can be revoked, after the commit. */
export async function recordUserCertificate(
  tx: Tx,
  { certificate, issuer }: SignedCertificate,
  { polyUserId, deviceId }: CertificateHolder,
): Promise<UserCertificate> {
  const serial = certificate.serialNumber.toLowerCase();
  const publicJwk = publicJwkOf(certificate.publicKey);
  const kid = thumbprintOf(publicJwk);
  const [notBefore, notAfter] = [certificate.validFromDate, certificate.validToDate];
  await insertCertificate(tx, {
    serial,
    kind: 'people',
    issuer_kid: issuer.kid,
    kid,
    poly_user_id: polyUserId,
    device_id: deviceId,
    public_jwk: publicJwk,
    not_before: notBefore,
    not_after: notAfter,
  });
  await keepSigned(tx, serial, certificate.raw);
  const chain = [certificate.raw, issuer.certificate.raw].map((der) => pemOf(der));
  return { chain, serial, kid, notBefore, notAfter };
}
