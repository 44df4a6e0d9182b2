import {
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
  integer,
  isTrue,
  octetString,
  oid,
  sequence,
  setOf,
  text,
  time,
} from '../der.ts';

/**
 * A development Apple, trusted only by a verifier that pins its two roots. All PEM and JSON, so
 * that it can be stored in a file. The keys of the roots are not included, because nothing is
 * signed with them again.
 */
export interface AppleDevelopmentRoots {
  /** Root of attestations. The `root_pem` of a policy is this and `receiptRootPem`, joined. */
  readonly rootPem: string;
  /** Root of receipts. */
  readonly receiptRootPem: string;
  /** Certifies attested keys. */
  readonly attestationCa: CertifiedKey;
  readonly receiptCaPem: string;
  readonly receiptSigner: CertifiedKey;
}

export interface CertifiedKey {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

export interface LeafRequest {
  readonly publicKey: KeyObject;
  /** TEAM.bundle; Apple also writes it into the leaf. */
  readonly appId: string;
  readonly nonce: Uint8Array;
  readonly osVersion: string;
  readonly validity: { readonly from: Date; readonly to: Date };
  readonly isAuthority?: boolean | undefined;
  /** Further extensions, each an Extension in DER (RFC 5280 §4.1). */
  readonly extensions?: readonly Uint8Array[] | undefined;
}

const dayMs = 24 * 3600_000;
const rootLifeMs = 25 * 365 * dayMs;
const authorityLifeMs = 10 * 365 * dayMs;

/**
 * Creates the two roots and their certificates. As for Apple, roots and attestation CA use P-384,
 * receipts P-256. Valid from the day before `now`; roots for 25 years, the others for ten. The
 * roots' keys are the given P-384 private keys, or new ones.
 */
export function createAppleDevelopmentRoots(
  now: Date,
  keys: { readonly root: KeyObject; readonly receiptRoot: KeyObject } = {
    root: newKey('secp384r1'),
    receiptRoot: newKey('secp384r1'),
  },
): AppleDevelopmentRoots {
  const root = issuerOf('App Attestation Root CA', keys.root);
  const ca = issuerOf('App Attestation CA 1', newKey('secp384r1'));
  const receiptRoot = issuerOf('Root CA', keys.receiptRoot);
  const receiptCa = issuerOf('Application Integration CA', newKey('prime256v1'));
  const signer = issuerOf('Application Attestation Fraud Receipt Signing', newKey('prime256v1'));
  const from = new Date(now.getTime() - dayMs);
  const rootValidity = { from, to: new Date(now.getTime() + rootLifeMs) };
  const validity = { from, to: new Date(now.getTime() + authorityLifeMs) };
  const certify = (subject: Issuer, issuer: Issuer, extensions: readonly Uint8Array[]): string =>
    pemOf(
      issue({
        issuer,
        subject: subject.name,
        publicKey: createPublicKey(subject.key),
        validity: subject === issuer ? rootValidity : validity,
        hash: issuer.key.asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'sha384' : 'sha256',
        extensions: [...extensions, ...keyIds(subject.key, issuer.key)],
      }),
    );
  return {
    rootPem: certify(root, root, authority()),
    receiptRootPem: certify(receiptRoot, receiptRoot, authority()),
    attestationCa: { certificatePem: certify(ca, root, authority(0)), keyPem: keyPemOf(ca.key) },
    receiptCaPem: certify(receiptCa, receiptRoot, authority()),
    receiptSigner: {
      certificatePem: certify(signer, receiptCa, [...endEntity(0x80), receiptSigning]),
      keyPem: keyPemOf(signer.key),
    },
  };
}

/** Issues the certificate of an attested key in Apple's form. DER. */
export function issueLeaf({ attestationCa }: AppleDevelopmentRoots, leaf: LeafRequest): Uint8Array {
  const identity = [
    element(0xa4, integer(10)),
    element(0xbf8930, integer(1)),
    element(0xbf8931, integer(0)),
    element(0xbf8932, integer(1)),
    element(0xbf8933, integer(1)),
    element(0xbf8934, octetString(Buffer.from(leaf.appId))),
    element(0xa5, octetString(Buffer.from('sks '))),
  ];
  return issue({
    issuer: issuerOf('App Attestation CA 1', createPrivateKey(attestationCa.keyPem)),
    subject: nameOf(createHash('sha256').update(pointOf(leaf.publicKey)).digest('hex')),
    publicKey: leaf.publicKey,
    validity: leaf.validity,
    hash: 'sha256',
    extensions: [
      ...(leaf.isAuthority ? authority(0) : endEntity(0xf0)),
      extension('1.2.840.113635.100.8.5', sequence(...identity)),
      extension(
        '1.2.840.113635.100.8.7',
        sequence(element(0xbf8a78, octetString(Buffer.from(leaf.osVersion)))),
      ),
      extension('1.2.840.113635.100.8.2', sequence(element(0xa1, octetString(leaf.nonce)))),
      ...(leaf.extensions ?? []),
    ],
  });
}

/** Returns an Extension (RFC 5280 §4.1), DER. */
export const extension = (type: string, value: Uint8Array, critical = false): Buffer =>
  sequence(oid(type), ...(critical ? [isTrue] : []), octetString(value));

/** Generates a private key on a curve. */
export const newKey = (namedCurve: 'prime256v1' | 'secp384r1'): KeyObject =>
  generateKeyPairSync('ec', { namedCurve }).privateKey;

/** Returns the uncompressed point of a P-256 public key, 65 bytes. */
export const pointOf = (publicKey: KeyObject): Buffer => spkiOf(publicKey).subarray(-65);

export const spkiOf = (publicKey: KeyObject): Buffer =>
  publicKey.export({ format: 'der', type: 'spki' });

/** Converts a certificate from PEM to DER. */
export const derOf = (pem: string): Uint8Array => new X509Certificate(pem).raw;

interface Issuer {
  readonly name: Uint8Array;
  readonly key: KeyObject;
}

interface CertificateRequest {
  readonly issuer: Issuer;
  readonly subject: Uint8Array;
  readonly publicKey: KeyObject;
  readonly validity: LeafRequest['validity'];
  readonly hash: 'sha256' | 'sha384';
  readonly extensions: readonly Uint8Array[];
}

const algorithms = { sha256: '1.2.840.10045.4.3.2', sha384: '1.2.840.10045.4.3.3' } as const;

/** Extension that allows a certificate to sign receipts. */
const receiptSigning = extension('1.2.840.113635.100.12.15', Buffer.from([0x05, 0x00]));

function issue(request: CertificateRequest): Uint8Array {
  const algorithm = sequence(oid(algorithms[request.hash]));
  const tbs = sequence(
    element(0xa0, integer(2)),
    integer(newSerial()),
    algorithm,
    request.issuer.name,
    sequence(time(request.validity.from), time(request.validity.to)),
    request.subject,
    spkiOf(request.publicKey),
    element(0xa3, sequence(...request.extensions)),
  );
  return sequence(tbs, algorithm, bitString(sign(request.hash, tbs, request.issuer.key)));
}

const authority = (pathLength?: number): Buffer[] => [
  extension(
    '2.5.29.19',
    sequence(isTrue, ...(pathLength === undefined ? [] : [integer(pathLength)])),
    true,
  ),
  extension('2.5.29.15', bitString(Buffer.of(0x06), 1), true),
];

const endEntity = (usage: 0x80 | 0xf0): Buffer[] => [
  extension('2.5.29.19', sequence(), true),
  extension('2.5.29.15', bitString(Buffer.of(usage), usage === 0x80 ? 7 : 4), true),
];

function keyIds(subject: KeyObject, issuer: KeyObject): Buffer[] {
  const idOf = (key: KeyObject): Buffer =>
    createHash('sha1')
      .update(spkiOf(createPublicKey(key)))
      .digest();
  return [
    extension('2.5.29.14', octetString(idOf(subject))),
    extension('2.5.29.35', sequence(element(0x80, idOf(issuer)))),
  ];
}

const issuerOf = (role: string, key: KeyObject): Issuer => ({
  name: nameOf(`${role} (development)`),
  key,
});

const nameOf = (commonName: string): Buffer =>
  sequence(
    setOf(sequence(oid('2.5.4.3'), text(commonName))),
    setOf(sequence(oid('2.5.4.10'), text('trustcheck'))),
  );

const pemOf = (der: Uint8Array): string => new X509Certificate(der).toString();

const keyPemOf = (key: KeyObject): string => String(key.export({ format: 'pem', type: 'pkcs8' }));

/** Positive, eight bytes (RFC 5280 §4.1.2.2). */
function newSerial(): Uint8Array {
  const bytes = randomBytes(8);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}
