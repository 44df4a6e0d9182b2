import { join } from 'node:path';
import { z } from 'zod';
import { createDiskStore } from './disk.ts';
import type { ObjectStore } from './object-store.ts';

/** Settings of the object store: an S3 endpoint, or files below DATA_DIR. */
export const storageConfig = z.object({
  S3_ENDPOINT: z.url().optional(),
  S3_BUCKET: z.string().min(3).max(63).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
});

/** Makes the configured store. The S3 client is loaded only where it is used. */
export async function createObjectStore(
  config: z.output<typeof storageConfig> & { DATA_DIR: string; BASE_URL: string },
  secret: Uint8Array,
  clock: () => Date,
): Promise<ObjectStore> {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config;
  if (!S3_ENDPOINT) {
    const directory = join(config.DATA_DIR, 'objects');
    return createDiskStore({ directory, baseUrl: config.BASE_URL, secret, clock });
  }
  if (!S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    throw new Error('S3_ENDPOINT needs S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  }
  const { createS3Store } = await import('./s3.ts');
  return createS3Store({
    endpoint: S3_ENDPOINT,
    bucket: S3_BUCKET,
    region: config.S3_REGION,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  });
}
