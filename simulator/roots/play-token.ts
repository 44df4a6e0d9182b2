import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { CompactEncrypt, CompactSign } from 'jose';

/** Keys that sign and encrypt the tokens of the simulator's Google Play, for its one app. */
export interface DevPlayKeys {
  /** P-256, PKCS #8. */
  readonly signingKeyPem: string;
  /** AES, 32 bytes, base64. */
  readonly decryptionKey: string;
}

/** The app in a token. */
export interface PlayApp {
  readonly packageName: string;
  readonly signatureDigest: Uint8Array;
}

/** The value that the app binds: the nonce of a classic request, or the hash of a standard one. */
export type PlayRequest = { readonly nonce: string } | { readonly requestHash: string };

export function createDevPlayKeys(): DevPlayKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    signingKeyPem: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    decryptionKey: randomBytes(32).toString('base64'),
  };
}

/** Returns the keys in the format of `PLAY_INTEGRITY_KEYS`. */
export function playKeyFile(packageName: string, keys: DevPlayKeys): string {
  const verificationKey = createPublicKey(keys.signingKeyPem).export({
    format: 'der',
    type: 'spki',
  });
  const ofApp = {
    decryption_key: keys.decryptionKey,
    verification_key: verificationKey.toString('base64'),
  };
  return JSON.stringify({ [packageName]: ofApp });
}

/**
 * Returns the Play Integrity token of a genuine phone, in the form for self-managed keys: a JWE
 * (A256KW, A256GCM) around a JWS (ES256).
 * @param changes members of the payload to replace or add
 */
export async function playToken(
  keys: DevPlayKeys,
  app: PlayApp,
  request: PlayRequest,
  now: Date,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const payload = {
    requestDetails: {
      requestPackageName: app.packageName,
      ...request,
      timestampMillis: String(now.getTime()),
    },
    appIntegrity: {
      appRecognitionVerdict: 'PLAY_RECOGNIZED',
      packageName: app.packageName,
      certificateSha256Digest: [Buffer.from(app.signatureDigest).toString('base64url')],
      versionCode: '1',
    },
    deviceIntegrity: { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] },
    accountDetails: { appLicensingVerdict: 'LICENSED' },
    ...changes,
  };
  const signed = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'ES256' })
    .sign(createPrivateKey(keys.signingKeyPem));
  return new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM' })
    .encrypt(Buffer.from(keys.decryptionKey, 'base64'));
}
