import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { wholeOf } from '../runtime/config.ts';
import { createDiskStore, removeLeftovers } from './disk.ts';
import type { ObjectStore } from './object-store.ts';

/** Settings of the object store: an S3 endpoint, or files below DATA_DIR. */
export const storageConfig = z.object({
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of the S3 object store. It requires `S3_BUCKET`, `S3_ACCESS_KEY_ID` and ' +
        '`S3_SECRET_ACCESS_KEY`. Without it, objects are files in `DATA_DIR/objects`.',
    ),
  S3_PUBLIC_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('URL at which browsers reach the bucket. Without it, browsers use `S3_ENDPOINT`.'),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .optional()
    .describe('Name of the bucket. The service does not create it.'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Access key with `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and ' +
        '`s3:ListBucket`. A bucket with versions also needs `s3:ListBucketVersions` and ' +
        '`s3:DeleteObjectVersion`.',
    ),
  S3_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Secret of the access key in `S3_ACCESS_KEY_ID`.'),
});

/** No write takes this long. Older files were left behind by killed writers. */
const writeMsMax = 60 * 60_000;

/**
 * Creates the configured store. Loads the S3 client only if it is used.
 * @param secret returns the 32 bytes that sign the next URL of the disk store
 * @throws Error with one line that names every missing setting
 */
export async function createObjectStore(
  config: z.output<typeof storageConfig> & { DATA_DIR: string; BASE_URL: string },
  secret: () => Uint8Array,
  clock: () => Date,
): Promise<ObjectStore> {
  const { S3_ENDPOINT, S3_PUBLIC_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } =
    config;
  const bucket = wholeOf(
    { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
    { isRequired: S3_PUBLIC_ENDPOINT !== undefined, besides: ' with the other S3 settings' },
  );
  if (!bucket) {
    const directory = join(config.DATA_DIR, 'objects');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await removeLeftovers(directory, new Date(clock().getTime() - writeMsMax));
    return createDiskStore({ directory, baseUrl: config.BASE_URL, secret, clock });
  }
  const { createS3Store } = await import('./s3.ts');
  return createS3Store({
    endpoint: bucket.S3_ENDPOINT,
    ...(S3_PUBLIC_ENDPOINT ? { publicEndpoint: S3_PUBLIC_ENDPOINT } : {}),
    bucket: bucket.S3_BUCKET,
    region: config.S3_REGION,
    accessKeyId: bucket.S3_ACCESS_KEY_ID,
    secretAccessKey: bucket.S3_SECRET_ACCESS_KEY,
  });
}
