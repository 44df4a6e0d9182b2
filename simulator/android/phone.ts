import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { keyDescriptionOid } from '../../domain/proofs/device/android/key-description.ts';
import { bitString } from '../der.ts';
import {
  attestationIssuerOf,
  certify,
  commonName,
  nameOf,
  type AndroidCertificate,
  type AndroidDevelopmentRoot,
} from '../roots/android.ts';
import { derOf, extension, newKey, spkiOf } from '../roots/apple.ts';
import { writeKeyDescription, type KeyStatement } from './key-description.ts';

export interface AndroidPhoneRequest {
  readonly root: AndroidDevelopmentRoot;
  readonly app: AndroidApp;
  readonly now: () => Date;
  /** What `save` of an earlier run gave: the same key goes on. */
  readonly saved?: SavedAndroidPhone | undefined;
}

export interface AndroidApp {
  readonly packageName: string;
  /** SHA-256 of the certificate that signed the app. */
  readonly signatureDigest: Uint8Array;
}

/** A phone's key between runs. */
export interface SavedAndroidPhone {
  /** PKCS #8. */
  readonly keyPem: string;
}

/** One install of an app on a simulated Android phone: one P-256 key of its Keystore. */
export interface AndroidPhone {
  /** DER. */
  readonly publicKeySpki: Uint8Array;
  /** The key's certificate chain over the challenge, DER, leaf first, root last. */
  attest(challenge: Uint8Array, changes?: AndroidChanges): Uint8Array[];
  /** ECDSA with SHA-256 over the bytes, DER. */
  sign(clientData: Uint8Array): Uint8Array;
  save(): SavedAndroidPhone;
}

/** What an attestation is to say in place of the truth. It is signed as it then stands. */
export interface AndroidChanges {
  readonly key?: Partial<KeyStatement> | undefined;
  /** A key description in DER in place of the one that would be written. */
  readonly description?: Uint8Array | undefined;
  readonly leaf?: Partial<AndroidCertificate> | undefined;
}

const usedForSigning = extension('2.5.29.15', bitString(Buffer.of(0x80), 7), true);

/** What an emulator says of its keys, and so does a phone without its maker's system. */
export const emulated: Partial<KeyStatement> = {
  attestationVersion: 4,
  attestationSecurityLevel: 0,
  keymintVersion: 41,
  keymintSecurityLevel: 0,
  rootOfTrust: undefined,
  osVersion: undefined,
  osPatchLevel: undefined,
};

/** A phone with an open boot loader, which any system may run on. */
export const unlocked: Partial<KeyStatement> = {
  rootOfTrust: { deviceLocked: false, verifiedBootState: 2 },
};

/**
 * A phone with the app installed, its key made (or taken from `saved`) and not attested yet. Under
 * a root provisioned in software it is an emulator.
 */
export function createAndroidPhone(request: AndroidPhoneRequest): AndroidPhone {
  const { saved } = request;
  const key = saved ? createPrivateKey(saved.keyPem) : newKey('prime256v1');
  return {
    publicKeySpki: spkiOf(createPublicKey(key)),
    attest: (challenge, changes = {}) => attest(request, key, challenge, changes),
    sign: (clientData) => sign('sha256', clientData, key),
    save: () => ({ keyPem: String(key.export({ format: 'pem', type: 'pkcs8' })) }),
  };
}

/** What the Keystore of a locked phone with its maker's system says of a key made for signing. */
export const genuineKey = (app: AndroidApp, challenge: Uint8Array, now: Date): KeyStatement => ({
  attestationVersion: 300,
  attestationSecurityLevel: 1,
  keymintVersion: 300,
  keymintSecurityLevel: 1,
  challenge,
  packages: [app.packageName],
  signatureDigests: [app.signatureDigest],
  createdAt: now,
  purposes: [2],
  origin: 0,
  rootOfTrust: { deviceLocked: true, verifiedBootState: 0 },
  osVersion: 160_000,
  osPatchLevel: now.getUTCFullYear() * 100 + now.getUTCMonth() + 1,
});

function attest(
  { root, app, now }: AndroidPhoneRequest,
  key: KeyObject,
  challenge: Uint8Array,
  changes: AndroidChanges,
): Uint8Array[] {
  const statement = {
    ...genuineKey(app, challenge, now()),
    ...(root.provisioning === 'software' ? emulated : {}),
    ...changes.key,
  };
  const description = changes.description ?? writeKeyDescription(statement);
  const leaf = certify({
    issuer: attestationIssuerOf(root),
    subject: nameOf([commonName, 'Android Keystore Key']),
    publicKey: createPublicKey(key),
    // Phones write these dates, and this number, into every leaf.
    validity: { from: new Date(0), to: new Date('2048-01-01T00:00:00Z') },
    serial: Buffer.of(1),
    extensions: [usedForSigning, extension(keyDescriptionOid, description)],
    ...changes.leaf,
  });
  return [leaf, ...root.intermediatePems.map(derOf), derOf(root.rootPem)];
}
