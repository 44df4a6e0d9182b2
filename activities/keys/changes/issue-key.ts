import { generateKeyPairSync, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import type { Queryable } from '../../../db/client.ts';
import { insertCertificate, keepSigned } from '../../../db/queries/certificates.ts';
import { issueCertificate } from '../../../domain/pki/x509/issue-certificate.ts';
import { keySigner, type IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { profiles, type CertificateRole } from '../../../domain/pki/x509/profile.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import type { Keeper } from '../custody/keeper.ts';
import { textOf, type KeyReference } from '../custody/key-reference.ts';
import { createCustodySigner } from '../directory/custody-signer.ts';
import { aboutKey } from '../directory/open-signer.ts';

/** Clocks of those who verify may lag. */
const backdatedMs = 3600_000;

/** A key with its certificate. */
export interface CertifiedKey {
  readonly der: Buffer;
  readonly signer: IssuingSigner;
}

/** A new key with the content of its key file: the key itself, or where it is held. */
export interface NewKey extends CertifiedKey {
  readonly content: string;
}

/** One that was made here. */
export interface IssuedKey extends CertifiedKey {
  readonly key: KeyObject;
}

/** A private key as its file holds it: encrypted, where there is a passphrase. */
export function keyPemOf(key: KeyObject, passphrase: string | null): string {
  const form = { type: 'pkcs8', format: 'pem' } as const;
  const encrypted = { ...form, cipher: 'aes-256-cbc', passphrase: passphrase ?? '' };
  return key.export(passphrase === null ? form : encrypted).toString();
}

export interface KeyRequest {
  readonly role: CertificateRole;
  readonly commonName: string;
  /** Null for a root. */
  readonly issuer: IssuingSigner | null;
  readonly now: Date;
  readonly baseUrl: string;
  /** Where the serial is stored before the certificate is signed, and the certificate after. */
  readonly on?: Queryable;
}

/** Makes a key of a role and has it certified, by its profile. */
export async function issueKey(request: KeyRequest): Promise<IssuedKey> {
  const { curve: namedCurve } = profiles[request.role];
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const signerOf = (chain: readonly Uint8Array[]): IssuingSigner => keySigner(key, chain);
  return { ...(await certifyKey(request, publicKey, signerOf)), key };
}

/** A key outside of this process, and the keeper that signs by it. */
export interface HeldKey {
  readonly keeper: Keeper;
  readonly reference: KeyReference;
}

/**
 * Certifies a key that AWS KMS or a token holds, after it has signed a challenge.
 * @param check is called with the id of the key before anything is signed; throws to refuse it
 * @throws KeyDirectoryError that names the key and the fault of its keeper
 */
export async function issueHeldKey(
  { keeper, reference }: HeldKey,
  request: KeyRequest,
  check: (kid: string) => Promise<void> | void = () => undefined,
): Promise<NewKey> {
  try {
    const publicKey = await keeper.publicKeyOf(reference);
    await check(thumbprintOf(publicJwkOf(publicKey)));
    const signerOf = (chain: readonly Uint8Array[]) =>
      createCustodySigner(keeper, reference, publicKey, chain);
    await signerOf([]).prove();
    const certified = await certifyKey(request, publicKey, signerOf);
    return { ...certified, content: `${textOf(reference)}\n` };
  } catch (error) {
    throw aboutKey(request.role, error);
  }
}

/**
 * Has a key certified, by the profile of its role.
 * @param signerOf the signer over it, with a certificate in front
 * @throws CertificateProfileError for a key that the profile does not take
 */
export async function certifyKey(
  request: KeyRequest,
  publicKey: KeyObject,
  signerOf: (chain: readonly Uint8Array[]) => IssuingSigner,
): Promise<CertifiedKey> {
  const { issuer, on } = request;
  const wanted = certificateRequestOf(request, publicKey, issuer ?? signerOf([]));
  const { notBefore, notAfter } = wanted;
  const serial = wanted.serial.toString('hex');
  if (issuer && on) {
    await insertCertificate(on, {
      serial,
      kind: 'services',
      issuer_kid: issuer.kid,
      kid: signerOf([]).kid,
      poly_user_id: null,
      device_id: null,
      public_jwk: publicJwkOf(publicKey),
      not_before: notBefore,
      not_after: notAfter,
    });
  }
  const der = await issueCertificate(wanted);
  if (on) await keepSigned(on, serial, der);
  return { der, signer: signerOf([der]) };
}

/**
 * The certificate of a key by the profile of its role: with a new serial, for as long as that
 * profile allows, and never beyond its CA.
 */
export function certificateRequestOf(
  { role, commonName, now, baseUrl }: Omit<KeyRequest, 'issuer' | 'on'>,
  publicKey: KeyObject,
  issuer: IssuingSigner,
) {
  const { lifeMsMax, revocation } = profiles[role];
  // Certificates have whole seconds (RFC 5280 §4.1.2.5), and none begins before its CA.
  const wantedMs = Math.floor((now.getTime() - backdatedMs) / 1000) * 1000;
  const [authority] = issuer.certificateChain;
  const above = authority ? new X509Certificate(authority) : null;
  const beginsMs = Math.max(wantedMs, above?.validFromDate.getTime() ?? 0);
  const endsMs = Math.min(beginsMs + lifeMsMax, above?.validToDate.getTime() ?? Infinity);
  return {
    role,
    commonName,
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    issuer,
    serial: newSerial(randomBytes),
    notBefore: new Date(beginsMs),
    notAfter: new Date(endsMs),
    ...(above && revocation !== 'none' ? { issuerUrl: `${baseUrl}/pki/${issuer.kid}` } : {}),
  };
}
