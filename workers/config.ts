import { z } from 'zod';
import { devTrustConfig, parseConfig, platformConfig } from '../activities/config.ts';
import { mailConfig } from '../activities/mail/config.ts';
import { storageConfig } from '../activities/storage/config.ts';
import { dbConfig } from '../db/config.ts';

/** Settings of the worker process, composed from the fragments of what they configure. */
export const workerConfig = z.object({
  ...platformConfig.shape,
  ...dbConfig.shape,
  ...storageConfig.shape,
  ...mailConfig.shape,
  ...devTrustConfig.shape,
  /** Health and metrics. */
  WORKER_PORT: z.coerce.number().int().min(0).max(65_535).default(9465),
  /** Where workflow bundles are kept between starts; without it each start makes its own. */
  WORKFLOW_BUNDLES: z.string().min(1).optional(),
  WORKFLOWS_CACHED_MAX: z.coerce.number().int().min(0).max(10_000).default(300),
});

export type WorkerConfig = z.output<typeof workerConfig>;

/** Reads the environment of the worker. Throws one line that names every wrong setting. */
export function readWorkerConfig(): WorkerConfig {
  return parseConfig(workerConfig, process.env);
}
