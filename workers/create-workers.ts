import { Worker, type WorkerOptions } from '@temporalio/worker';
import { taskQueues } from '../workflows/task-queues.ts';
import { bundleWorkflows } from './bundle.ts';
import { threadsOf, workflowTasksMax, type WorkerConfig } from './config.ts';
import { buildIdOf, deploymentOptions } from './deployment.ts';
import { heartbeatThrottleMs, interceptors } from './interceptors.ts';
import type { WorkerDeps } from './make-deps.ts';

const graceMs = 20_000;
/** Milliseconds after which the server gives a dead worker's workflows to another worker. */
const missedMs = 3_000;
/**
 * Milliseconds of wall-clock time after which the SDK aborts a workflow task; the rest of the
 * aborted work then runs in the next workflow of the same thread. The SDK's default of five seconds
 * is too short: a suspended machine sleeps longer.
 */
const runawayMs = 3600_000;
/** An option of the SDK that is missing from its types. */
const unhurried = { isolateExecutionTimeout: runawayMs };

/** Creates one worker per task queue. Only the first one runs workflows. */
export async function createWorkers(config: WorkerConfig, deps: WorkerDeps): Promise<Worker[]> {
  const workflowBundle = await bundleWorkflows(deps.plugin, config.WORKFLOW_BUNDLES);
  const buildId = buildIdOf(workflowBundle);
  deps.log.info({ build_id: buildId }, 'the build of the workflows');
  const common = {
    ...deploymentOptions(config, buildId),
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: deps.dataConverter,
    activities: deps.activities,
    plugins: [deps.plugin],
    interceptors,
    maxHeartbeatThrottleInterval: heartbeatThrottleMs,
    shutdownGraceTime: graceMs,
  };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: taskQueues.core,
      workflowBundle,
      ...unhurried,
      ...workflowTaskOptions(config.WORKFLOWS_CACHED_MAX),
    }),
    Worker.create({
      ...common,
      taskQueue: taskQueues.crypto,
      maxConcurrentActivityTaskExecutions: threadsOf(config),
    }),
    Worker.create({ ...common, taskQueue: taskQueues.mail, maxTaskQueueActivitiesPerSecond: 20 }),
  ]);
  const limitMs = workers[0].options.isolateExecutionTimeoutMs;
  if (limitMs !== runawayMs) throw new Error(`workflows are cut off after ${limitMs} ms`);
  return workers;
}

/**
 * Returns how workflow tasks are polled and cached. Without a cache the SDK has room for one
 * workflow. A second task would evict the first one during its local activities: their results are
 * lost, and its task is retried only after its timeout. Polling one task at a time avoids this.
 */
function workflowTaskOptions(maxCachedWorkflows: number): Partial<WorkerOptions> {
  if (maxCachedWorkflows === 0) {
    return {
      maxCachedWorkflows,
      maxConcurrentWorkflowTaskExecutions: 1,
      workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    };
  }
  return {
    maxCachedWorkflows,
    stickyQueueScheduleToStartTimeout: missedMs,
    maxConcurrentWorkflowTaskExecutions: workflowTasksMax,
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 8 },
  };
}
