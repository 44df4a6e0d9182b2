import { createHash } from 'node:crypto';
import type { WorkerOptions, WorkflowBundle } from '@temporalio/worker';
import type { WorkerConfig } from './config.ts';

/** What all builds of the workers are versions of; namespaces keep platforms apart. */
export const deploymentName = 'trustcheck';
/** SHA-256 in hex. */
export const buildIdForm = /^[0-9a-f]{64}$/;

/** The id of a build: the digest of its workflows, so that what changes none is the same build. */
export function buildIdOf(bundle: WorkflowBundle): string {
  if (!('code' in bundle)) throw new Error('a bundle without its code has no build id');
  return createHash('sha256').update(bundle.code).digest('hex');
}

/**
 * How workers of a build take part in versioning (flows rule 7), those of activities too: what a
 * workflow asks of an activity is answered by the build it was written for. In production, unless
 * it is switched off; else not, since a build gets no work before it was made current.
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
