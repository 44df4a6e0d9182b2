import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';

/** What signs and encrypts the tokens of the simulator's Google Play, for its one app. */
export interface DevPlayKeys {
  /** P-256, PKCS #8. */
  readonly signingKeyPem: string;
  /** AES, 32 bytes, base64. */
  readonly decryptionKey: string;
}

/** Of which app a token speaks. */
export interface PlayApp {
  readonly packageName: string;
  readonly signatureDigest: Uint8Array;
}

/** What the app binds: the nonce of a classic request, or the hash of a standard one. */
export type PlayRequest = { readonly nonce: string } | { readonly requestHash: string };

/** RFC 3394 §2.2.3.1. */
const wrapIv = Buffer.from('A6A6A6A6A6A6A6A6', 'hex');

export function createDevPlayKeys(): DevPlayKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    signingKeyPem: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    decryptionKey: randomBytes(32).toString('base64'),
  };
}

/** The keys as `PLAY_INTEGRITY_KEYS` names them. */
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
 * What Play says of a phone as it was sold: a JWE (A256KW, A256GCM) around a JWS (ES256), as the
 * holder of self-managed keys gets it.
 * @param changes members of the payload in place of those, and beside them
 */
export function playToken(
  keys: DevPlayKeys,
  app: PlayApp,
  request: PlayRequest,
  now: Date,
  changes: Readonly<Record<string, unknown>> = {},
): string {
  const payload = {
    requestDetails: {
      requestPackageName: app.packageName,
      ...request,
      timestampMillis: String(now.getTime()),
    },
    appIntegrity: {
      appRecognitionVerdict: 'PLAY_RECOGNIZED',
      packageName: app.packageName,
      certificateSha256Digest: [base64url(app.signatureDigest)],
      versionCode: '1',
    },
    deviceIntegrity: { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] },
    accountDetails: { appLicensingVerdict: 'LICENSED' },
    ...changes,
  };
  const input = `${part({ alg: 'ES256' })}.${part(payload)}`;
  const key = createPrivateKey(keys.signingKeyPem);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return encrypted(keys, `${input}.${base64url(signature)}`);
}

/** RFC 7516 §7.1. */
function encrypted({ decryptionKey }: DevPlayKeys, text: string): string {
  const [contentKey, iv] = [randomBytes(32), randomBytes(12)];
  const header = part({ alg: 'A256KW', enc: 'A256GCM' });
  const wrap = createCipheriv('id-aes256-wrap', Buffer.from(decryptionKey, 'base64'), wrapIv);
  const wrapped = Buffer.concat([wrap.update(contentKey), wrap.final()]);
  const cipher = createCipheriv('aes-256-gcm', contentKey, iv).setAAD(Buffer.from(header));
  const content = Buffer.concat([cipher.update(text), cipher.final()]);
  return [header, ...[wrapped, iv, content, cipher.getAuthTag()].map(base64url)].join('.');
}

const part = (value: unknown): string => base64url(Buffer.from(JSON.stringify(value)));

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
