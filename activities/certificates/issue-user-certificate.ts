import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Queryable } from '../../db/client.ts';
import { insertCertificate, keepSigned } from '../../db/queries/certificates.ts';
import type { PublicJwk } from '../../db/schema/certificates.ts';
import { Failure } from '../../workflows/failures.ts';
import { issueCertificate, newSerial } from './issue-certificate.ts';
import type { PlatformSigner } from './load-keys.ts';
import { pemOf } from './pem.ts';
import { profiles } from './profile.ts';
import { publicJwkOf, thumbprintOf } from './thumbprint.ts';

/** A phone's clock may lag: what it signs at once must not lie before its certificate. */
const backdatedMs = 5 * 60_000;

export interface UserCertificateDeps {
  /** A transaction, or the pool: then the serial is on disk before the signature is made. */
  readonly on: Queryable;
  readonly peopleCa: PlatformSigner;
  /** CRL and CA certificate are named below it: `{baseUrl}/pki/{kid}.crl|.cer`. */
  readonly baseUrl: string;
}

export interface UserCertificateRequest {
  readonly polyUserId: string;
  /** The row of the device exists already. */
  readonly deviceId: string | null;
  /** The device's signing key on P-256: JWK, or DER SubjectPublicKeyInfo. */
  readonly publicKey: PublicJwk | Uint8Array;
  readonly now: Date;
  readonly random: (size: number) => Uint8Array;
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

/**
 * Certifies a device's signing key for its user, for a year and never beyond its CA. The subject is
 * the opaque poly_user_id and nothing else, since the certificate is public (x5c). Possession of
 * the key is the caller's to prove.
 * @throws Failure `key_refused` for anything but a point on P-256
 */
export async function issueUserCertificate(
  { on, peopleCa, baseUrl }: UserCertificateDeps,
  request: UserCertificateRequest,
): Promise<UserCertificate> {
  const key = readKey(request.publicKey);
  const publicJwk = publicJwkOf(key);
  const kid = thumbprintOf(publicJwk);
  const serial = newSerial(request.random);
  const { notBefore, notAfter } = lifeOf(peopleCa, request.now);
  const serialHex = serial.toString('hex');
  await insertCertificate(on, {
    serial: serialHex,
    kind: 'people',
    issuer_kid: peopleCa.kid,
    kid,
    poly_user_id: request.polyUserId,
    device_id: request.deviceId,
    public_jwk: publicJwk,
    not_before: notBefore,
    not_after: notAfter,
  });
  const der = await issueCertificate({
    role: 'user',
    commonName: request.polyUserId,
    spki: new Uint8Array(key.export({ type: 'spki', format: 'der' })),
    issuer: peopleCa,
    serial,
    notBefore,
    notAfter,
    issuerUrl: `${baseUrl}/pki/${peopleCa.kid}`,
  });
  await keepSigned(on, serialHex, der);
  const chain = [der, peopleCa.certificate.raw].map((one) => pemOf(one));
  return { chain, serial: serialHex, kid, notBefore, notAfter };
}

/** Certificates tell whole seconds (RFC 5280 §4.1.2.5), and no leaf outlives its CA. */
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
