import type * as sdk from '@aws-sdk/client-kms';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { deadline } from '../../runtime/cancellation.ts';
import { within } from '../../vendors/provider.ts';
import { CustodyError, type CustodyFault } from './custody-error.ts';
import type { Keeper } from './keeper.ts';
import type { KmsReference } from './key-reference.ts';

export interface KmsOptions {
  /** By default the AWS client finds credentials: a role of the machine, as AWS recommends. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Endpoint of KMS, if not the public one. */
  readonly url?: string | undefined;
  /** Timeout of one signature, including retries and the waits between them. */
  readonly timeoutMs?: number | undefined;
}

interface Connected {
  readonly sdk: typeof sdk;
  readonly client: sdk.KMSClient;
}

const timeoutMsUsual = 8_000;
const attemptsMax = 3;
const algorithm = 'ECDSA_SHA_256';

/** Permanent errors of KMS (AWS KMS API reference, Sign and GetPublicKey). */
const faults: Readonly<Record<string, CustodyFault>> = {
  AccessDeniedException: 'denied',
  CredentialsProviderError: 'denied',
  ExpiredTokenException: 'denied',
  IncompleteSignature: 'denied',
  InvalidClientTokenId: 'denied',
  InvalidSignatureException: 'denied',
  MissingAuthenticationTokenException: 'denied',
  OptInRequired: 'denied',
  UnrecognizedClientException: 'denied',
  InvalidArnException: 'absent',
  NotFoundException: 'absent',
  DisabledException: 'unusable',
  InvalidGrantTokenException: 'unusable',
  InvalidKeyUsageException: 'unusable',
  KMSInvalidStateException: 'unusable',
  UnsupportedOperationException: 'unusable',
  ValidationException: 'unusable',
};

/**
 * Creates a keeper for keys in AWS KMS. The AWS client is loaded only when a key in KMS is used.
 * Only digests are sent (`MessageType` DIGEST). KMS answers with the ARN of the key, never with an
 * alias.
 */
export function createKms(options: KmsOptions): Keeper<KmsReference> {
  const { timeoutMs = timeoutMsUsual } = options;
  const byRegion = new Map<string, Promise<Connected>>();
  const ask = async <Answer>(
    { arn, region }: KmsReference,
    send: (on: Connected, bound: { abortSignal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer> => {
    const connected = byRegion.get(region) ?? connect(options, region);
    byRegion.set(region, connected);
    const on = await connected;
    const bound = { abortSignal: deadline(timeoutMs) };
    return within(timeoutMs, send(on, bound)).catch((error: unknown) => {
      throw faultOf(arn, error);
    });
  };
  return {
    async publicKeyOf(reference) {
      const { arn } = reference;
      const answer = await ask(reference, (on, bound) =>
        on.client.send(new on.sdk.GetPublicKeyCommand({ KeyId: arn }), bound),
      );
      const { KeyId, KeyUsage, SigningAlgorithms = [], PublicKey } = answer;
      if (KeyId !== arn || !PublicKey) throw odd(arn);
      if (KeyUsage !== 'SIGN_VERIFY' || !SigningAlgorithms.includes(algorithm)) {
        throw new CustodyError('unusable', `${arn}: it is no ECC_NIST_P256 key for SIGN_VERIFY`);
      }
      return spkiOf(arn, PublicKey);
    },
    async sign(reference, digest) {
      const { arn } = reference;
      const input = {
        KeyId: arn,
        Message: digest,
        MessageType: 'DIGEST',
        SigningAlgorithm: algorithm,
      } as const;
      const answer = await ask(reference, (on, bound) =>
        on.client.send(new on.sdk.SignCommand(input), bound),
      );
      const isAsAsked = answer.KeyId === arn && answer.SigningAlgorithm === algorithm;
      if (!isAsAsked || !answer.Signature) throw odd(arn);
      return Buffer.from(answer.Signature);
    },
  };
}

async function connect(
  { credentials, url, timeoutMs = timeoutMsUsual }: KmsOptions,
  region: string,
): Promise<Connected> {
  const sdk = await import('@aws-sdk/client-kms');
  const client = new sdk.KMSClient({
    region,
    maxAttempts: attemptsMax,
    requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    ...(credentials ? { credentials } : {}),
    ...(url === undefined ? {} : { endpoint: url }),
  });
  return { sdk, client };
}

/** The client's message can quote the request, so only its name is passed on. */
function faultOf(arn: string, error: unknown): CustodyError {
  const name = error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'Error';
  const fault = faults[name] ?? 'unreachable';
  const said = name === 'Error' ? 'no answer' : name;
  return new CustodyError(fault, `${arn}: AWS KMS says ${said}`);
}

const odd = (arn: string): CustodyError =>
  new CustodyError('mismatched', `${arn}: AWS KMS has answered for another key, or not at all`);

function spkiOf(arn: string, der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    throw odd(arn);
  }
}
