import { randomBytes } from 'node:crypto';
import { parseConfig } from '../../activities/runtime/config.ts';
import { createObjectStore, storageConfig } from '../../activities/storage/config.ts';
import { environment } from '../environment.ts';

/**
 * Requires that the configured object store responds: the bucket of S3_ENDPOINT and S3_BUCKET, else
 * files below the data directory.
 * @throws a one-line error with the remedy
 */
export async function checkObjects(platform: { dataDir: string; baseUrl: string }): Promise<void> {
  const config = parseConfig(storageConfig, environment());
  const place = { ...config, DATA_DIR: platform.dataDir, BASE_URL: platform.baseUrl };
  const store = await createObjectStore(
    place,
    () => randomBytes(32),
    () => new Date(),
  );
  await store.health().catch((cause: unknown) => {
    const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket } = config;
    const way = 'make it, or unset the S3 settings to have files instead';
    const fault = endpoint
      ? `the bucket ${bucket} at ${endpoint} does not answer: ${way}`
      : `objects cannot be kept below ${platform.dataDir}: set DATA_DIR`;
    throw new Error(fault, { cause });
  });
}
