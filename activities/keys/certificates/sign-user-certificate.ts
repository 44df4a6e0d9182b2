import { createPublicKey, type KeyObject } from 'node:crypto';
import { issueCertificate } from '../../../domain/pki/x509/issue-certificate.ts';
import { profiles } from '../../../domain/pki/x509/profile.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import type { PublicJwk } from '../../../domain/pki/x509/thumbprint.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { PlatformSigner } from '../directory/load-keys.ts';

/** A phone's clock may be behind: its first signature must not predate its certificate. */
const backdatedMs = 5 * 60_000;

export interface UserCertificateRequest {
  readonly polyUserId: string;
  /** The device's signing key on P-256: JWK, or DER SubjectPublicKeyInfo. */
  readonly publicKey: PublicJwk | Uint8Array;
  readonly now: Date;
  readonly random: (size: number) => Uint8Array;
}

/**
 * Certifies a device's signing key for its user, for at most a year and within the validity of its
 * CA. The subject is only the opaque poly_user_id, because the certificate is public (x5c). The
 * caller verifies possession of the key and records the certificate: an unrecorded one is not
 * accepted.
 * @param ca `baseUrl` of its files: `{baseUrl}/pki/{kid}.crl|.cer`
 * @returns the certificate, DER
 * @throws Failure `key_refused` for a key that is not on P-256
 */
export async function signUserCertificate(
  { peopleCa, baseUrl }: { readonly peopleCa: PlatformSigner; readonly baseUrl: string },
  { polyUserId, publicKey, now, random }: UserCertificateRequest,
): Promise<Buffer> {
  const key = readKey(publicKey);
  return issueCertificate({
    role: 'user',
    commonName: polyUserId,
    spki: new Uint8Array(key.export({ type: 'spki', format: 'der' })),
    issuer: peopleCa,
    serial: newSerial(random),
    ...lifeOf(peopleCa, now),
    issuerUrl: `${baseUrl}/pki/${peopleCa.kid}`,
  });
}

/** Certificate times have whole seconds (RFC 5280 §4.1.2.5), and no leaf outlives its CA. */
function lifeOf(peopleCa: PlatformSigner, now: Date): { notBefore: Date; notAfter: Date } {
  const { validFromDate, validToDate } = peopleCa.certificate;
  const wanted = Math.floor((now.getTime() - backdatedMs) / 1000) * 1000;
  const beginsMs = Math.max(wanted, validFromDate.getTime());
  const endsMs = Math.min(beginsMs + profiles.user.lifeMsMax, validToDate.getTime());
  return { notBefore: new Date(beginsMs), notAfter: new Date(endsMs) };
}

function readKey(from: PublicJwk | Uint8Array): KeyObject {
  let key: KeyObject;
  try {
    key =
      from instanceof Uint8Array
        ? createPublicKey({ key: Buffer.from(from), format: 'der', type: 'spki' })
        : createPublicKey({ key: { ...from }, format: 'jwk' });
  } catch (cause) {
    throw new Failure('key_refused', { cause });
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Failure('key_refused');
  return key;
}
