import { createSecretKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { CompactEncrypt, CompactSign } from 'jose';

export const at = new Date('2026-11-22T12:00:00.000Z');
export const packageName = 'com.example.trust';
export const certificateDigest = Buffer.alloc(32, 7);
export const requestHash = Buffer.alloc(32, 9).toString('base64url');

/** The keys of an app as its developer takes them from the Play Console. */
export interface MintingKeys {
  readonly signing: KeyObject;
  readonly verificationKey: Buffer;
  readonly decryptionKey: Buffer;
}

export function newPlayKeys(curve = 'P-256'): MintingKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
  return {
    signing: privateKey,
    verificationKey: publicKey.export({ format: 'der', type: 'spki' }),
    decryptionKey: randomBytes(32),
  };
}

type Part = Readonly<Record<string, unknown>>;
export type Changes = Readonly<Record<string, Part | null>>;

/** What Play says of a phone as it was sold, changed part by part; null takes a part away. */
export function payloadOf(changes: Changes = {}, now = at): Record<string, unknown> {
  const usual: Record<string, Part> = {
    requestDetails: {
      requestPackageName: packageName,
      requestHash,
      timestampMillis: String(now.getTime()),
    },
    appIntegrity: {
      appRecognitionVerdict: 'PLAY_RECOGNIZED',
      packageName,
      certificateSha256Digest: [certificateDigest.toString('base64url')],
      versionCode: '42',
    },
    deviceIntegrity: { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] },
    accountDetails: { appLicensingVerdict: 'LICENSED' },
  };
  const names = new Set([...Object.keys(usual), ...Object.keys(changes)]);
  const parts = [...names].flatMap((name) =>
    changes[name] === null ? [] : [[name, { ...usual[name], ...changes[name] }] as const],
  );
  return Object.fromEntries(parts);
}

export interface Headers {
  readonly alg?: string;
  readonly jweAlg?: string;
  readonly enc?: string;
}

/** A classic token as it comes to the holder of self-managed keys: JWE around JWS. */
export async function mintToken(
  keys: MintingKeys,
  payload: unknown,
  { jweAlg = 'A256KW', enc = 'A256GCM', alg = 'ES256' }: Headers = {},
): Promise<{ readonly token: string; readonly signed: string }> {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const key = alg.startsWith('HS') ? createSecretKey(keys.verificationKey) : keys.signing;
  const signed = await new CompactSign(Buffer.from(text)).setProtectedHeader({ alg }).sign(key);
  const token = await new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: jweAlg, enc })
    .encrypt(keys.decryptionKey);
  return { token, signed };
}
