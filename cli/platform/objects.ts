import { randomBytes } from 'node:crypto';
import { parseConfig } from '../../activities/runtime/config.ts';
import { createObjectStore, storageConfig } from '../../activities/storage/config.ts';
import { environment } from '../environment.ts';

export interface ObjectsPlace {
  readonly dataDir: string;
  readonly baseUrl: string;
}

/**
 * Makes sure that the configured object store answers: the bucket S3_ENDPOINT and S3_BUCKET name,
 * else files below the state directory. Throws one line with the way out.
 */
export async function checkObjects({ dataDir, baseUrl }: ObjectsPlace): Promise<void> {
  const config = parseConfig(storageConfig, environment());
  const place = { ...config, DATA_DIR: dataDir, BASE_URL: baseUrl };
  const store = await createObjectStore(
    place,
    () => randomBytes(32),
    () => new Date(),
  );
  await store.health().catch((cause: unknown) => {
    const where = config.S3_ENDPOINT
      ? `the bucket ${config.S3_BUCKET} at ${config.S3_ENDPOINT} does not answer`
      : `objects cannot be kept below ${dataDir}`;
    const way = config.S3_ENDPOINT
      ? 'make it, or unset the S3 settings to have files instead'
      : 'set DATA_DIR';
    throw new Error(`${where}: ${way}`, { cause });
  });
}
