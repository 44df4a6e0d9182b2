import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '../../workflows/failures.ts';
import { cancellation, deadline } from '../runtime/cancellation.ts';
import { eraseVersions } from './s3-versions.ts';
import { checkKey, checkMediaType, checkPresign, type ObjectStore } from './object-store.ts';

export interface S3Options {
  readonly endpoint: string;
  /** Endpoint at which browsers reach the bucket, if not `endpoint`. */
  readonly publicEndpoint?: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Milliseconds for one operation, with all its attempts and its body. */
  readonly operationTimeoutMs?: number;
}

interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly timeoutMs: number;
  /** Result of the last put: a full server answers every other request. */
  readonly lastPut: { hasFailed: boolean };
}

const defaultOperationTimeoutMs = 25_000;
const healthTimeoutMs = 3_000;
const connectionTimeoutMs = 2_000;
const attemptsMax = 3;
const conditionalPutsMax = 5;
/**
 * Test object, written after a failed put to see whether the server accepts writes. It stays there.
 */
const triedKey = 'health/last-try';

/** Creates a store on any S3 server. Sends the SHA-256 of each body, which the server verifies. */
export function createS3Store(options: S3Options): ObjectStore {
  const timeoutMs = options.operationTimeoutMs ?? defaultOperationTimeoutMs;
  const bucket: Bucket = {
    client: connect(options, timeoutMs),
    name: options.bucket,
    timeoutMs,
    lastPut: { hasFailed: false },
  };
  const { publicEndpoint } = options;
  const signer = publicEndpoint
    ? connect({ ...options, endpoint: publicEndpoint }, timeoutMs)
    : bucket.client;
  return {
    async get(key) {
      checkKey(key);
      return read(bucket, key);
    },
    async put({ key, body, contentType, ifAbsent }) {
      checkKey(key);
      checkMediaType(contentType);
      const bytes = Buffer.from(body);
      const digest = createHash('sha256').update(bytes).digest();
      const input = {
        Bucket: bucket.name,
        Key: key,
        Body: bytes,
        ContentType: contentType,
        ChecksumSHA256: digest.toString('base64'),
      };
      const stored = ifAbsent ? await putOnce(bucket, input, bytes) : await put(bucket, input);
      return { sha256: digest.toString('hex'), stored };
    },
    async remove(key) {
      checkKey(key);
      const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key });
      await bucket.client.send(command, bounded(bucket)).catch((error: unknown) => {
        if (!isAbsent(error)) throw unavailable(error);
      });
    },
    async erase(key) {
      checkKey(key);
      // One bound for all requests. The rest of a large folder is removed by the next call.
      const bound = bounded(bucket);
      const listed = { client: bucket.client, name: bucket.name, bounded: () => bound };
      await eraseVersions(listed, key).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    async presign(key, presignOptions) {
      checkKey(key);
      checkPresign(presignOptions);
      const { filename, contentType, ttlSeconds } = presignOptions;
      const command = new GetObjectCommand({
        Bucket: bucket.name,
        Key: key,
        ...(contentType ? { ResponseContentType: contentType } : {}),
        ...(filename ? { ResponseContentDisposition: `attachment; filename="${filename}"` } : {}),
      });
      return getSignedUrl(signer, command, { expiresIn: ttlSeconds });
    },
    async health() {
      const command = new HeadBucketCommand({ Bucket: bucket.name });
      const bound = bounded({ timeoutMs: Math.min(timeoutMs, healthTimeoutMs) });
      await bucket.client.send(command, bound).catch((error: unknown) => {
        throw unavailable(error);
      });
      if (!bucket.lastPut.hasFailed) return;
      await put(bucket, { Bucket: bucket.name, Key: triedKey, Body: Buffer.from('room') }, bound);
    },
  };
}

async function put(
  bucket: Bucket,
  input: PutObjectCommandInput,
  bound: { abortSignal: AbortSignal } = bounded(bucket),
): Promise<true> {
  try {
    await bucket.client.send(new PutObjectCommand(input), bound);
    bucket.lastPut.hasFailed = false;
    return true;
  } catch (error) {
    noteFailedPut(bucket);
    throw unavailable(error);
  }
}

/** A put that its activity canceled says nothing about the server. */
function noteFailedPut({ lastPut }: Bucket): void {
  if (!cancellation.getStore()?.aborted) lastPut.hasFailed = true;
}

/**
 * Puts an object if the key is free. If the response to an earlier attempt was lost, the retry is
 * refused, too; comparing the stored bytes distinguishes that from a conflict. 409 means that
 * another put of the key is in progress.
 */
async function putOnce(
  bucket: Bucket,
  input: PutObjectCommandInput & { Key: string },
  body: Buffer,
): Promise<boolean> {
  let refusal: unknown;
  for (let attempt = 1; attempt <= conditionalPutsMax; attempt += 1) {
    try {
      const command = new PutObjectCommand({ ...input, IfNoneMatch: '*' });
      await bucket.client.send(command, bounded(bucket));
      bucket.lastPut.hasFailed = false;
      return true;
    } catch (error) {
      if (statusOf(error) !== 412 && statusOf(error) !== 409) {
        noteFailedPut(bucket);
        throw unavailable(error);
      }
      refusal = error;
    }
    const isSame = await holds(bucket, input.Key, body, input.ChecksumSHA256);
    if (isSame !== null) {
      if (!isSame) throw new Failure('object_conflict');
      return false;
    }
    await delay(20 * attempt);
  }
  throw unavailable(refusal);
}

/** Whether these bytes are stored under the key; null if there is no object. */
async function holds(
  bucket: Bucket,
  key: string,
  body: Buffer,
  checksum: string | undefined,
): Promise<boolean | null> {
  try {
    const command = new HeadObjectCommand({
      Bucket: bucket.name,
      Key: key,
      ChecksumMode: 'ENABLED',
    });
    const head = await bucket.client.send(command, bounded(bucket));
    if (head.ContentLength !== body.length) return false;
    // The checksum of a multipart object is not the hash of its bytes.
    if (head.ChecksumSHA256 && head.ChecksumType !== 'COMPOSITE') {
      return head.ChecksumSHA256 === checksum;
    }
  } catch (error) {
    if (isAbsent(error)) return null;
    throw unavailable(error);
  }
  const there = await read(bucket, key);
  return there && body.equals(there);
}

async function read(bucket: Bucket, key: string): Promise<Uint8Array | null> {
  try {
    const command = new GetObjectCommand({ Bucket: bucket.name, Key: key });
    const found = await bucket.client.send(command, bounded(bucket));
    return (await found.Body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw unavailable(error);
  }
}

function connect(options: S3Options, timeoutMs: number): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = options;
  // Leaves room for every attempt and the pauses between them.
  const requestTimeoutMs = Math.ceil(timeoutMs / (attemptsMax + 1));
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: attemptsMax,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      // Without it the client only warns when the time is over.
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
      socketTimeout: requestTimeoutMs,
    },
  });
}

function bounded({ timeoutMs }: { readonly timeoutMs: number }): { abortSignal: AbortSignal } {
  return { abortSignal: deadline(timeoutMs) };
}

/** Whether an object is missing. A missing bucket is a fault of the store. */
function isAbsent(error: unknown): boolean {
  return statusOf(error) === 404 && error instanceof Error && error.name !== 'NoSuchBucket';
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** The client's error can contain the signed request, so only its name and status are kept. */
function unavailable(error: unknown): Failure {
  const name = error instanceof Error ? error.name.replaceAll(/\W/g, '').slice(0, 60) : 'unknown';
  const cause = new Error(`s3: ${name}, status ${statusOf(error) ?? 'none'}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 2 });
}
