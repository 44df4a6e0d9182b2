import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import {
  bitString,
  element,
  extension,
  integer,
  isTrue,
  octetString,
  oid,
  printable,
  sequence,
  setOf,
  text,
  time,
} from '../der.ts';

/**
 * Key and signature algorithms of a synthetic State. Real States use all of them except the last.
 */
export type DevProfile = 'p256' | 'p256-sha1' | 'brainpool-explicit' | 'rsa-pss' | 'secp256k1';

/** A synthetic country signing CA. Its State is Utopia (UTO), as in ICAO's own specimens. */
export interface DevCsca {
  readonly profile: DevProfile;
  /** DER. */
  readonly certificate: Uint8Array;
  readonly key: KeyObject;
}

/** A synthetic document signer with the certificate from its CSCA. */
export interface DevSigner extends DevCsca {
  /** Big-endian, as in the CRL and the CMS signer identifier. */
  readonly serial: Uint8Array;
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

const dayMs = 24 * 3600_000;
/**
 * ICAO 9303-12, key usage and validity: a CSCA is valid longer than its signers, and these longer
 * than their documents.
 */
const cscaLifeMs = 15 * 366 * dayMs;
const signerLifeMs = (10 * 366 + 92) * dayMs;

const ecPublicKey = {
  p256: 'prime256v1',
  'p256-sha1': 'prime256v1',
  'brainpool-explicit': 'brainpoolP256r1',
  secp256k1: 'secp256k1',
} as const;

/**
 * Creates a country signing CA of Utopia, trusted only by a verifier that pins its certificate.
 * Valid from the day before `now`, for fifteen years.
 */
export function createDevCsca(now: Date, options: DevCscaOptions = {}): DevCsca {
  const { profile = 'p256', commonName = 'CSCA Utopia (development)', country = utopia } = options;
  const { privateKey: key, publicKey } = newKeyPair(profile);
  const name = nameOf(commonName, country);
  const certificate = certify({
    profile,
    serial: newSerial(),
    issuer: name,
    subject: name,
    publicKey,
    validity: { from: new Date(now.getTime() - dayMs), to: new Date(now.getTime() + cscaLifeMs) },
    issuerPublicKey: publicKey,
    signingKey: key,
    isAuthority: true,
  });
  return { profile, certificate, key };
}

export interface DevCscaOptions {
  readonly profile?: DevProfile | undefined;
  readonly commonName?: string | undefined;
  /** Two letters. Default: those of Utopia. */
  readonly country?: string | undefined;
}

const utopia = 'UT';

/** Returns the link certificate (ICAO 9303-12): the successor's key, signed by the old CSCA. */
export function linkCsca(old: DevCsca, successor: DevCsca, now: Date): Uint8Array {
  return certify({
    profile: old.profile,
    serial: newSerial(),
    issuer: subjectOf(old),
    subject: subjectOf(successor),
    publicKey: createPublicKey(successor.key),
    validity: { from: new Date(now.getTime() - dayMs), to: new Date(now.getTime() + cscaLifeMs) },
    issuerPublicKey: createPublicKey(old.key),
    signingKey: old.key,
    isAuthority: true,
  });
}

/** Returns certificate and private key as PEM, to save them between runs. */
export function exportDevCsca(csca: DevCsca): { certificate: string; key: string } {
  return {
    certificate: new X509Certificate(csca.certificate).toString(),
    key: String(csca.key.export({ format: 'pem', type: 'pkcs8' })),
  };
}

/**
 * Reverses `exportDevCsca`.
 * @throws errors of node:crypto if the input is not PEM
 */
export function importDevCsca(pem: { certificate: string; key: string }): DevCsca {
  const key = createPrivateKey(pem.key);
  const named = key.asymmetricKeyDetails?.namedCurve;
  const profile =
    key.asymmetricKeyType === 'rsa'
      ? 'rsa-pss'
      : named === ecPublicKey.p256
        ? 'p256'
        : 'brainpool-explicit';
  return { profile, certificate: new X509Certificate(pem.certificate).raw, key };
}

/**
 * Returns a document signer written by `exportDevCsca`: both have the same fields.
 * @throws errors of node:crypto if the input is not PEM
 */
export function importDevSigner(pem: { certificate: string; key: string }): DevSigner {
  const { serialNumber } = new X509Certificate(pem.certificate);
  return { ...importDevCsca(pem), serial: Buffer.from(serialNumber, 'hex') };
}

/**
 * Issues a document signer under a CSCA, valid from the day before `now` for about ten years. With
 * an extended key usage it signs other content, such as master lists.
 */
export function issueSigner(
  csca: DevCsca,
  now: Date,
  validity?: Validity,
  extendedKeyUsage?: string,
): DevSigner {
  const { privateKey: key, publicKey } = newKeyPair(csca.profile);
  const serial = newSerial();
  const certificate = certify({
    profile: csca.profile,
    serial,
    issuer: subjectOf(csca),
    subject: nameOf('Document Signer Utopia (development)', partOf(csca, 'C')),
    publicKey,
    validity: validity ?? {
      from: new Date(now.getTime() - dayMs),
      to: new Date(now.getTime() + signerLifeMs),
    },
    issuerPublicKey: createPublicKey(csca.key),
    signingKey: csca.key,
    isAuthority: false,
    extendedKeyUsage,
  });
  return { profile: csca.profile, certificate, key, serial };
}

/** Returns the issuer Name as in the certificates that it signed. */
export function subjectOf(csca: DevCsca): Uint8Array {
  return nameOf(partOf(csca, 'CN'), partOf(csca, 'C'));
}

function partOf({ certificate }: DevCsca, name: 'C' | 'CN'): string {
  const { subject } = new X509Certificate(certificate);
  return new RegExp(`^${name}=(.*)$`, 'm').exec(subject)?.[1] ?? '';
}

/** Returns the hash for all signatures of a profile: SHA-256, or SHA-1 as in older passports. */
export const hashOfProfile = (profile: DevProfile): 'sha1' | 'sha256' =>
  profile === 'p256-sha1' ? 'sha1' : 'sha256';

/** Returns the AlgorithmIdentifier of that hash. */
export const digestAlgorithmOf = (profile: DevProfile): Buffer =>
  profile === 'p256-sha1' ? sequence(oid('1.3.14.3.2.26')) : sha256Algorithm;

/** Returns the AlgorithmIdentifier of the profile's signatures. */
export function algorithmOf(profile: DevProfile): Buffer {
  if (profile === 'p256-sha1') return sequence(oid('1.2.840.10045.4.1'));
  if (profile !== 'rsa-pss') return sequence(oid('1.2.840.10045.4.3.2'));
  const mask = sequence(oid('1.2.840.113549.1.1.8'), sha256Algorithm);
  const parameters = sequence(
    element(0xa0, sha256Algorithm),
    element(0xa1, mask),
    element(0xa2, integer(32)),
  );
  return sequence(oid('1.2.840.113549.1.1.10'), parameters);
}

export const sha256Algorithm = sequence(oid('2.16.840.1.101.3.4.2.1'), Buffer.from([0x05, 0x00]));

/** Signs with the profile's algorithm. */
export function signBytes(profile: DevProfile, key: KeyObject, data: Uint8Array): Buffer {
  return profile === 'rsa-pss'
    ? sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
    : sign(hashOfProfile(profile), data, { key, dsaEncoding: 'der' });
}

/** Generates a key pair for the profile. */
export function newKeyPair(profile: DevProfile): { publicKey: KeyObject; privateKey: KeyObject } {
  return profile === 'rsa-pss'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', {
        namedCurve: ecPublicKey[profile],
        paramEncoding: profile === 'brainpool-explicit' ? 'explicit' : 'named',
      });
}

interface CertificateRequest {
  readonly profile: DevProfile;
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly issuerPublicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly isAuthority: boolean;
  readonly extendedKeyUsage?: string | undefined;
}

/** ICAO 9303-12, certificate profiles of the CSCA and of document signers. */
function certify(request: CertificateRequest): Uint8Array {
  const { profile, isAuthority, extendedKeyUsage: use } = request;
  const constraints = extension('2.5.29.19', sequence(isTrue, integer(0)), true);
  const usage = isAuthority ? bitString(Buffer.from([0x06]), 1) : bitString(Buffer.from([0x80]), 7);
  const tbs = sequence(
    element(0xa0, integer(2)),
    integer(request.serial),
    algorithmOf(profile),
    request.issuer,
    sequence(time(request.validity.from), time(request.validity.to)),
    request.subject,
    spkiOf(request.publicKey),
    element(
      0xa3,
      sequence(
        ...(isAuthority ? [constraints] : []),
        extension('2.5.29.15', usage, true),
        ...(use ? [extension('2.5.29.37', sequence(oid(use)), true)] : []),
        extension('2.5.29.14', octetString(keyIdOf(request.publicKey))),
        extension('2.5.29.35', sequence(element(0x80, keyIdOf(request.issuerPublicKey)))),
      ),
    ),
  );
  return signed(profile, request.signingKey, tbs);
}

/** Returns a signed structure of X.509: the content, the algorithm and the signature. */
export const signed = (profile: DevProfile, key: KeyObject, tbs: Uint8Array): Uint8Array =>
  sequence(tbs, algorithmOf(profile), bitString(signBytes(profile, key, tbs)));

const nameOf = (commonName: string, country: string): Buffer =>
  sequence(
    setOf(sequence(oid('2.5.4.6'), printable(country))),
    setOf(sequence(oid('2.5.4.10'), text('Utopia'))),
    setOf(sequence(oid('2.5.4.3'), text(commonName))),
  );

const spkiOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });

/** Returns the subject key identifier of a key. */
export const keyIdOf = (key: KeyObject): Buffer => createHash('sha1').update(spkiOf(key)).digest();

/** Positive, sixteen bytes (RFC 5280 §4.1.2.2). */
function newSerial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}
