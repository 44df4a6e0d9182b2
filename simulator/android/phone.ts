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
  /** Result of `save` in an earlier run, to continue with the same key. */
  readonly saved?: SavedAndroidPhone | undefined;
}

export interface AndroidApp {
  readonly packageName: string;
  /** SHA-256 of the certificate that signed the app. */
  readonly signatureDigest: Uint8Array;
}

/** A phone's key, saved between runs. */
export interface SavedAndroidPhone {
  /** PKCS #8. */
  readonly keyPem: string;
}

/** One installation of an app on a simulated Android phone, with one P-256 Keystore key. */
export interface AndroidPhone {
  /** DER. */
  readonly publicKeySpki: Uint8Array;
  /** Returns the key's certificate chain over the challenge: DER, leaf first, root last. */
  attest(challenge: Uint8Array, changes?: AndroidChanges): Uint8Array[];
  /** Signs the bytes with ECDSA and SHA-256. Returns DER. */
  sign(clientData: Uint8Array): Uint8Array;
  save(): SavedAndroidPhone;
}

/** Values that replace the true ones in an attestation. They are signed as given. */
export interface AndroidChanges {
  readonly key?: Partial<KeyStatement> | undefined;
  /** A key description in DER that replaces the generated one. */
  readonly description?: Uint8Array | undefined;
  readonly leaf?: Partial<AndroidCertificate> | undefined;
}

const usedForSigning = extension('2.5.29.15', bitString(Buffer.of(0x80), 7), true);

/** Key properties of an emulator, or of a phone without its maker's system. */
export const emulated: Partial<KeyStatement> = {
  attestationVersion: 4,
  attestationSecurityLevel: 0,
  keymintVersion: 41,
  keymintSecurityLevel: 0,
  rootOfTrust: undefined,
  osVersion: undefined,
  osPatchLevel: undefined,
};

/** A phone with an unlocked boot loader, which can run any system. */
export const unlocked: Partial<KeyStatement> = {
  rootOfTrust: { deviceLocked: false, verifiedBootState: 2 },
};

/**
 * Creates a phone with the app installed. Its key is new or from `saved`, and not attested yet.
 * Under a root with software provisioning it is an emulator.
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

/** Key description by a locked phone with its maker's system, for a signing key. */
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
    // Phones write these dates and this serial into every leaf.
    validity: { from: new Date(0), to: new Date('2048-01-01T00:00:00Z') },
    serial: Buffer.of(1),
    extensions: [usedForSigning, extension(keyDescriptionOid, description)],
    ...changes.leaf,
  });
  return [leaf, ...root.intermediatePems.map(derOf), derOf(root.rootPem)];
}
