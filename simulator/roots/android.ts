import {
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { childrenOf, readElement } from '../../domain/pki/read-der.ts';
import {
  bitString,
  element,
  integer,
  isTrue,
  oid,
  printable,
  sequence,
  setOf,
  text,
  time,
} from '../der.ts';
import { derOf, extension, newKey, spkiOf } from './apple.ts';

/**
 * How phones under a development root get their attestation key: in the factory, remotely later, or
 * in software like emulators.
 */
export type AndroidProvisioning = 'factory' | 'remote' | 'software';

/** Serial number in the simulator's list of revoked keys. */
export const revokedSerial = Buffer.from('5e0badbadbadbad1', 'hex');

/**
 * A development root of Android Keystore, with an attestation key. It is trusted only by a verifier
 * that pins `rootPem`. All PEM and JSON, so that it can be stored in a file. The keys of the root
 * and of the intermediates are not included, because nothing is signed with them again.
 */
export interface AndroidDevelopmentRoot {
  readonly provisioning: AndroidProvisioning;
  readonly rootPem: string;
  /** Certificates between leaf and root, the attestation key's certificate first. */
  readonly intermediatePems: readonly string[];
  /** The attestation key, PKCS #8. */
  readonly keyPem: string;
}

export interface AndroidRootOptions {
  /** Default: `factory`. */
  readonly provisioning?: AndroidProvisioning | undefined;
  /** The security level in the certificates. Default: `TEE`. */
  readonly hardware?: 'TEE' | 'StrongBox' | undefined;
  /** A P-384 private key for the root. Default: a new one. */
  readonly rootKey?: KeyObject | undefined;
  /** Overrides for the certificate of the attestation key. */
  readonly attestation?: Partial<AndroidCertificate> | undefined;
}

/** An issuer of certificates. */
export interface AndroidIssuer {
  /** A Name in DER. */
  readonly name: Uint8Array;
  readonly key: KeyObject;
}

export interface AndroidCertificate {
  readonly issuer: AndroidIssuer;
  /** A Name in DER. */
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  readonly validity: { readonly from: Date; readonly to: Date };
  /** Unsigned big-endian. Default: random. */
  readonly serial?: Uint8Array | undefined;
  /** Each an Extension in DER (RFC 5280 §4.1). */
  readonly extensions: readonly Uint8Array[];
}

const dayMs = 24 * 3600_000;
const rootLifeDays = 20 * 365;
/** ProvisioningInfo (CBOR): one certificate was issued to this phone in the last thirty days. */
const provisioningInfo = extension('1.3.6.1.4.1.11129.2.1.30', Buffer.from('a10101', 'hex'));

/**
 * Creates a root and the certificates under it. Their number and lifetimes are those of Google's:
 * P-384, and P-256 for the attestation key. Valid from the day before `now`.
 */
export function createAndroidDevelopmentRoot(
  now: Date,
  options: AndroidRootOptions = {},
): AndroidDevelopmentRoot {
  const validFor = (days: number): AndroidCertificate['validity'] => ({
    from: new Date(now.getTime() - dayMs),
    to: new Date(now.getTime() + days * dayMs),
  });
  const root: AndroidIssuer = {
    name: nameOf([commonName, 'Keystore Attestation Root (development)']),
    key: options.rootKey ?? newKey('secp384r1'),
  };
  const rootDer = certify({
    issuer: root,
    subject: root.name,
    publicKey: createPublicKey(root.key),
    validity: validFor(rootLifeDays),
    extensions: authority(),
  });
  const places = placesOf(options);
  const intermediatePems: string[] = [];
  let issuer = root;
  for (const [index, { name, lifeDays, extensions = [] }] of places.entries()) {
    const isLast = index === places.length - 1;
    const key = newKey(isLast ? 'prime256v1' : 'secp384r1');
    const der = certify({
      issuer,
      subject: name,
      publicKey: createPublicKey(key),
      validity: validFor(lifeDays),
      extensions: [...authority(places.length - 1 - index), ...extensions],
      ...(isLast ? options.attestation : {}),
    });
    intermediatePems.unshift(pemOf(der));
    issuer = { name, key };
  }
  return {
    provisioning: options.provisioning ?? 'factory',
    rootPem: pemOf(rootDer),
    intermediatePems,
    keyPem: String(issuer.key.export({ format: 'pem', type: 'pkcs8' })),
  };
}

interface Place {
  readonly name: Uint8Array;
  readonly lifeDays: number;
  readonly extensions?: readonly Uint8Array[];
}

/** Returns the levels below the root, the nearest to it first. */
function placesOf({ provisioning, hardware = 'TEE' }: AndroidRootOptions): Place[] {
  if (provisioning === 'software') {
    const name = nameOf([commonName, 'Keystore Software Attestation (development)']);
    return [{ name, lifeDays: 3650 }];
  }
  if (provisioning === 'remote') {
    return [
      { name: nameOf([commonName, 'Attestation CA 2 (development)']), lifeDays: 1095 },
      { name: nameOf([commonName, 'Attestation CA 3 (development)']), lifeDays: 70 },
      {
        name: nameOf([organization, hardware], [commonName, newId()]),
        lifeDays: 30,
        extensions: [provisioningInfo],
      },
    ];
  }
  return [0, 1].map(() => ({
    name: nameOf([title, hardware], [serialNumber, newId()]),
    lifeDays: 3650,
  }));
}

/** Issues a certificate in DER, signed with ECDSA and the hash of its issuer's curve. */
export function certify(certificate: AndroidCertificate): Uint8Array {
  const { issuer, validity, serial = randomSerial(), extensions } = certificate;
  const isLarge = issuer.key.asymmetricKeyDetails?.namedCurve === 'secp384r1';
  const algorithm = sequence(oid(isLarge ? '1.2.840.10045.4.3.3' : '1.2.840.10045.4.3.2'));
  const tbs = sequence(
    element(0xa0, integer(2)),
    integer(serial),
    algorithm,
    issuer.name,
    sequence(time(validity.from), time(validity.to)),
    certificate.subject,
    spkiOf(certificate.publicKey),
    element(0xa3, sequence(...extensions)),
  );
  return sequence(tbs, algorithm, bitString(sign(isLarge ? 'sha384' : 'sha256', tbs, issuer.key)));
}

/** Returns the root's attestation key as the issuer of the certificates of a phone's keys. */
export function attestationIssuerOf(root: AndroidDevelopmentRoot): AndroidIssuer {
  const [pem = ''] = root.intermediatePems;
  return { name: subjectOf(derOf(pem)), key: createPrivateKey(root.keyPem) };
}

/** Returns the subject Name of a certificate in its original encoding. */
export function subjectOf(certificate: Uint8Array): Uint8Array {
  const [tbs] = childrenOf(readElement(certificate).contents);
  // version, serial, signature, issuer, validity
  const subject = childrenOf(tbs?.contents ?? new Uint8Array())[5];
  if (!subject) throw new Error('not a certificate');
  return subject.whole;
}

/** Returns basic constraints and key usage of an issuer. */
export const authority = (pathLength?: number): Buffer[] => [
  extension(
    '2.5.29.19',
    sequence(isTrue, ...(pathLength === undefined ? [] : [integer(pathLength)])),
    true,
  ),
  extension('2.5.29.15', bitString(Buffer.of(0x04), 2), true),
];

export const commonName = '2.5.4.3';
const serialNumber = '2.5.4.5';
const organization = '2.5.4.10';
const title = '2.5.4.12';

/** Returns a Name with these attributes, each a type and a text. */
export const nameOf = (...attributes: readonly (readonly [string, string])[]): Buffer =>
  sequence(
    ...attributes.map(([type, value]) =>
      setOf(sequence(oid(type), type === serialNumber ? printable(value) : text(value))),
    ),
  );

const pemOf = (der: Uint8Array): string => new X509Certificate(der).toString();

const newId = (): string => randomBytes(16).toString('hex');

/** Positive, sixteen bytes (RFC 5280 §4.1.2.2). */
function randomSerial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}
