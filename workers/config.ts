import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { operatorConfig } from '../activities/affidavit/operator.ts';
import { calendarConfig } from '../activities/calendar/config.ts';
import { mailConfig } from '../activities/delivery/mail/config.ts';
import { custodyConfig } from '../activities/keys/config.ts';
import { masterKeyConfig } from '../activities/keys/data-keys-config.ts';
import { timestampConfig } from '../activities/keys/timestamps/config.ts';
import { deviceCheckConfig } from '../activities/proofs/device/apple/device-check.ts';
import { receiptConfig } from '../activities/proofs/device/apple/receipt-service.ts';
import { statusListConfig } from '../activities/proofs/device/config.ts';
import { playConfig } from '../activities/proofs/device/google/play-integrity.ts';
import { claimPolicyConfig, livenessConfig } from '../activities/proofs/face/provider/config.ts';
import { passportTrustConfig } from '../activities/proofs/passport/trust-config.ts';
import { codecConfig } from '../activities/runtime/codec/config.ts';
import {
  devTrustConfig,
  parseConfig,
  platformConfig,
  temporalConfig,
} from '../activities/runtime/config.ts';
import { storageConfig } from '../activities/storage/config.ts';
import { logConfig } from '../activities/transparency/config.ts';
import {
  areWitnessesEnough,
  witnessConfig,
  witnessesWantedFault,
} from '../activities/transparency/witnesses.ts';
import { assertSecureUrl } from '../activities/vendors/secure-urls.ts';
import { dbConfig } from '../db/config.ts';

/** Workflow tasks that a worker handles at the same time. */
export const workflowTasksMax = 20;
/** The SDK evicts the least recently used workflow, even one that waits for its local activity. */
const cachedMin = 2 * workflowTasksMax;

/** Settings of the process itself. */
export const workerProcessConfig = z.object({
  WORKER_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9465)
    .describe('Port of the health and the metrics of a worker.'),
  WORKER_VERSIONING: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      '`on` keeps a workflow on the build that started it; an operator then makes each ' +
        'new build current. Without it: `on` in production, `off` in development.',
    ),
  WORKFLOW_BUNDLES: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Directory that keeps workflow bundles between starts. Without it, each start makes ' +
        'the bundle again, about half of its start time.',
    ),
  // With 0 each task replays its workflow from the start, one at a time: tests use it.
  WORKFLOWS_CACHED_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(300)
    .describe(
      'Maximum number of workflows that a worker keeps in memory, from 40. `0` keeps ' +
        'none, in development only.',
    ),
  CRYPTO_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Threads that make and verify PDFs, up to 256 MB each. Half as many read images, ' +
        'about 500 MB each. Without it: one less than the cores, from 1 to 4.',
    ),
});

/** Settings of the worker process, composed from the fragments of what they configure. */
export const workerConfig = z
  .object({
    ...platformConfig.shape,
    ...temporalConfig.shape,
    ...custodyConfig.shape,
    ...logConfig.shape,
    ...witnessConfig.shape,
    ...operatorConfig.shape,
    ...timestampConfig.shape,
    ...dbConfig.shape,
    ...storageConfig.shape,
    ...codecConfig.shape,
    ...masterKeyConfig.shape,
    ...calendarConfig.shape,
    ...mailConfig.shape,
    ...livenessConfig.shape,
    ...claimPolicyConfig.shape,
    ...devTrustConfig.shape,
    ...passportTrustConfig.shape,
    ...statusListConfig.shape,
    ...receiptConfig.shape,
    ...deviceCheckConfig.shape,
    ...playConfig.pick({ PLAY_INTEGRITY_ACCOUNT: true, PLAY_INTEGRITY_URL: true }).shape,
    ...workerProcessConfig.shape,
  })
  .refine(({ WORKFLOWS_CACHED_MAX: most }) => most === 0 || most >= cachedMin, {
    path: ['WORKFLOWS_CACHED_MAX'],
    message: `must be 0 or at least ${cachedMin}`,
  })
  .refine(({ PROFILE, WORKFLOWS_CACHED_MAX: most }) => PROFILE === 'development' || most > 0, {
    path: ['WORKFLOWS_CACHED_MAX'],
    message: 'must not be 0 in production',
  })
  .refine(areWitnessesEnough, { path: ['LOG_WITNESSES_WANTED'], message: witnessesWantedFault })
  .superRefine(assertSecureUrl);

export type WorkerConfig = z.output<typeof workerConfig>;

/**
 * A thread is warm from the start and takes about 90 MB. More need a setting, and a larger
 * container.
 */
const threadsDefaultMax = 4;

/**
 * Returns the number of threads. By default, all cores but the one for the main thread, and at most
 * `threadsDefaultMax`.
 */
export function threadsOf(
  { CRYPTO_THREADS: given }: Pick<WorkerConfig, 'CRYPTO_THREADS'>,
  cores: number = availableParallelism(),
): number {
  return given ?? Math.min(threadsDefaultMax, Math.max(1, cores - 1));
}

/**
 * Reads the worker's settings from the environment.
 * @throws Error with one line that names every invalid setting
 */
export function readWorkerConfig(): WorkerConfig {
  return parseConfig(workerConfig, process.env);
}
