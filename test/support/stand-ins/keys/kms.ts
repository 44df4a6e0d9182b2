import { p256 } from '@noble/curves/nist.js';
import { createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { isSignedFor } from '../faces/aws-signature.ts';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';

/** A key of the stand-in. A test sets its state, as an operator does. */
export interface KmsKey {
  readonly arn: string;
  readonly privateKey: KeyObject;
  state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  /** Signs with another key than its id indicates, as if keys were mixed up. */
  signsWith?: KeyObject;
}

export interface KmsStandIn extends Provider {
  /** Creates a key of ECC_NIST_P256 for SIGN_VERIFY. */
  makeKey(): KmsKey;
}

/** Credentials and region of the caller. */
export const kmsAccount = {
  region: 'eu-west-1',
  accessKeyId: `AKIA${'5'.repeat(16)}`,
  secretAccessKey: 'secret-of-the-kms-stand-in',
} as const;

const contentType = 'application/x-amz-json-1.1';
const algorithm = 'ECDSA_SHA_256';
const digestBytes = 32;

const answered = (body: object, status = 200): ProviderAnswer => ({
  status,
  headers: { 'Content-Type': contentType },
  text: JSON.stringify(body),
});

/** An AWS error. Its message quotes the request. */
export const kmsRefusal = (type: string, status = 400): ProviderAnswer =>
  answered({ __type: type, message: `${type} for ${kmsAccount.secretAccessKey}` }, status);

type Input = Readonly<Record<string, unknown>>;

/**
 * The two signing operations of AWS KMS in AWS JSON 1.1: `POST /` with `X-Amz-Target`, signed with
 * Signature Version 4. It rejects unknown members, and signs only digests.
 */
export async function startKms(now: () => Date): Promise<KmsStandIn> {
  const keys = new Map<string, KmsKey>();
  const operations: Readonly<Record<string, (key: KmsKey, input: Input) => ProviderAnswer>> = {
    GetPublicKey: publicKeyOf,
    Sign: signed,
  };
  const provider = await startProvider((request) => {
    if (request.method !== 'POST' || request.path !== '/') {
      return kmsRefusal('UnknownOperation', 404);
    }
    if (!isSignedFor('kms', kmsAccount, request, now())) {
      return kmsRefusal('InvalidSignatureException');
    }
    const target = String(request.headers['x-amz-target']);
    const [, name = ''] = /^TrentService\.(\w+)$/.exec(target) ?? [];
    const operation = operations[name];
    if (!operation || request.headers['content-type'] !== contentType) {
      return kmsRefusal('UnknownOperationException');
    }
    const input: Input = JSON.parse(request.body.toString());
    const key = keys.get(String(input['KeyId']));
    if (!key) return kmsRefusal('NotFoundException');
    if (key.state === 'Disabled') return kmsRefusal('DisabledException');
    if (key.state === 'PendingDeletion') return kmsRefusal('KMSInvalidStateException');
    return operation(key, input);
  });
  return {
    ...provider,
    makeKey() {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const arn = `arn:aws:kms:${kmsAccount.region}:111122223333:key/${randomUUID()}`;
      const key: KmsKey = { arn, privateKey, state: 'Enabled' };
      keys.set(arn, key);
      return key;
    },
  };
}

const hasOnly = (input: Input, names: readonly string[]): boolean =>
  Object.keys(input).every((name) => names.includes(name));

function publicKeyOf({ arn, privateKey }: KmsKey, input: Input): ProviderAnswer {
  if (!hasOnly(input, ['KeyId', 'GrantTokens'])) return kmsRefusal('ValidationException');
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return answered({
    KeyId: arn,
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    PublicKey: der.toString('base64'),
    SigningAlgorithms: [algorithm],
  });
}

function signed({ arn, privateKey, signsWith = privateKey }: KmsKey, input: Input): ProviderAnswer {
  const names = ['KeyId', 'Message', 'MessageType', 'SigningAlgorithm', 'GrantTokens', 'DryRun'];
  const digest = Buffer.from(String(input['Message']), 'base64');
  const isDigest = input['MessageType'] === 'DIGEST' && digest.length === digestBytes;
  if (!hasOnly(input, names) || !isDigest) return kmsRefusal('ValidationException');
  if (input['SigningAlgorithm'] !== algorithm) return kmsRefusal('InvalidKeyUsageException');
  const { d = '' } = signsWith.export({ format: 'jwk' });
  // Does not normalize s to its low form, as AWS KMS does not.
  const options = { prehash: false, lowS: false, format: 'der' } as const;
  const signature = p256.sign(digest, Buffer.from(d, 'base64url'), options);
  const text = Buffer.from(signature).toString('base64');
  return answered({ KeyId: arn, Signature: text, SigningAlgorithm: algorithm });
}

/** The settings that configure this stand-in. */
export const kmsSettings = ({ url }: Pick<Provider, 'url'>) => ({
  KEYS_KMS_ACCESS_KEY_ID: kmsAccount.accessKeyId,
  KEYS_KMS_SECRET_ACCESS_KEY: kmsAccount.secretAccessKey,
  KEYS_KMS_URL: url,
});
