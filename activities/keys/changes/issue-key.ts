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

/** Clocks of verifiers may be behind. */
const backdatedMs = 3600_000;

/** A key with its certificate. */
export interface CertifiedKey {
  readonly der: Buffer;
  readonly signer: IssuingSigner;
}

/** A new key with the content of its key file: the key itself, or a reference to it. */
export interface NewKey extends CertifiedKey {
  readonly content: string;
}

/** A key that this process created. */
export interface IssuedKey extends CertifiedKey {
  readonly key: KeyObject;
}

/** Returns a private key as PEM, encrypted if there is a passphrase. */
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
  /**
   * Database that records the serial before the certificate is signed, and the certificate after.
   */
  readonly on?: Queryable;
}

/** Creates a key for a role and certifies it by the profile of the role. */
export async function issueKey(request: KeyRequest): Promise<IssuedKey> {
  const { curve: namedCurve } = profiles[request.role];
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const signerOf = (chain: readonly Uint8Array[]): IssuingSigner => keySigner(key, chain);
  return { ...(await certifyKey(request, publicKey, signerOf)), key };
}

/** A key outside of this process, and the keeper that signs with it. */
export interface HeldKey {
  readonly keeper: Keeper;
  readonly reference: KeyReference;
}

/**
 * Certifies a key in AWS KMS or in a PKCS#11 token, after it has signed a challenge.
 * @param check receives the id of the key before anything is signed, and throws to reject the key
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
 * Certifies a key by the profile of its role.
 * @param signerOf returns the signer of the key for a certificate chain
 * @throws CertificateProfileError for a key that the profile does not allow
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
 * Returns the certificate request for a key of a role: with a new serial, for the longest validity
 * of the profile within that of its CA.
 */
export function certificateRequestOf(
  { role, commonName, now, baseUrl }: Omit<KeyRequest, 'issuer' | 'on'>,
  publicKey: KeyObject,
  issuer: IssuingSigner,
) {
  const { lifeMsMax, revocation } = profiles[role];
  // Certificate times have whole seconds (RFC 5280 §4.1.2.5), and none begins before its CA.
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
