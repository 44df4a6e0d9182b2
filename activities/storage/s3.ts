import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '../../workflows/failures.ts';
import { checkKey, checkPresign, type ObjectStore } from './object-store.ts';

export interface S3Options {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const requestTimeoutMs = 10_000;
const connectionTimeoutMs = 2_000;
const attemptsMax = 3;

/** A bucket of any S3 server. Bodies go as buffers with their SHA-256, which the server checks. */
export function createS3Store(options: S3Options): ObjectStore {
  const client = connect(options);
  const { bucket: Bucket } = options;
  const get = async (key: string): Promise<Uint8Array | null> => {
    checkKey(key);
    try {
      const found = await client.send(new GetObjectCommand({ Bucket, Key: key }));
      return (await found.Body?.transformToByteArray()) ?? null;
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw unavailable(error);
    }
  };
  return {
    get,
    async put({ key, body, contentType, ifAbsent }) {
      checkKey(key);
      const digest = createHash('sha256').update(body).digest();
      const sha256 = digest.toString('hex');
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        Body: body,
        ContentType: contentType,
        ChecksumSHA256: digest.toString('base64'),
        ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
      });
      try {
        await client.send(command);
        return { sha256, stored: true };
      } catch (error) {
        // 409: another conditional put of this key is being decided right now.
        if (statusOf(error) !== 412 && statusOf(error) !== 409) throw unavailable(error);
      }
      const there = await get(key);
      if (!there) throw unavailable(new Error('a conditional put was refused, nothing is there'));
      if (!Buffer.from(there).equals(body)) throw new Failure('object_conflict');
      return { sha256, stored: false };
    },
    async remove(key) {
      checkKey(key);
      await client.send(new DeleteObjectCommand({ Bucket, Key: key })).catch((error: unknown) => {
        if (statusOf(error) !== 404) throw unavailable(error);
      });
    },
    async presign(key, presignOptions) {
      checkKey(key);
      checkPresign(presignOptions);
      const { filename, contentType, ttlSeconds } = presignOptions;
      const command = new GetObjectCommand({
        Bucket,
        Key: key,
        ...(contentType ? { ResponseContentType: contentType } : {}),
        ...(filename ? { ResponseContentDisposition: `attachment; filename="${filename}"` } : {}),
      });
      return getSignedUrl(client, command, { expiresIn: ttlSeconds });
    },
    async health() {
      await client.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
  };
}

function connect({ endpoint, region, accessKeyId, secretAccessKey }: S3Options): S3Client {
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: attemptsMax,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: { requestTimeout: requestTimeoutMs, connectionTimeout: connectionTimeoutMs },
  });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function unavailable(cause: unknown): Failure {
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 2 });
}
