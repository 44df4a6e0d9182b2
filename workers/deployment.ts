import { createHash } from 'node:crypto';
import type { WorkerOptions, WorkflowBundle } from '@temporalio/worker';
import type { WorkerConfig } from './config.ts';

/** Deployment name of all builds of the workers. Namespaces separate platforms. */
export const deploymentName = 'trustcheck';
/** SHA-256 in hex. */
export const buildIdForm = /^[0-9a-f]{64}$/;

/** Returns the id of a build: the digest of its workflow bundle. Other changes keep the id. */
export function buildIdOf(bundle: WorkflowBundle): string {
  if (!('code' in bundle)) throw new Error('a bundle without its code has no build id');
  return createHash('sha256').update(bundle.code).digest('hex');
}

/**
 * Returns the versioning options of a worker. Activity workers take part, too: a workflow's
 * activities run on the build that it was written for (flows rule 7). On by default in production
 * only: a new build gets no work before it is made current.
 */
export function deploymentOptions(
  { PROFILE, WORKER_VERSIONING }: Pick<WorkerConfig, 'PROFILE' | 'WORKER_VERSIONING'>,
  buildId: string,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  const isOn = WORKER_VERSIONING ? WORKER_VERSIONING === 'on' : PROFILE === 'production';
  if (!isOn) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName, buildId },
      defaultVersioningBehavior: 'PINNED',
    },
  };
}
