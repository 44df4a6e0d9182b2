import { Worker, type WorkerOptions } from '@temporalio/worker';
import { taskQueues } from '../workflows/task-queues.ts';
import { bundleWorkflows } from './bundle.ts';
import { threadsOf, workflowTasksMax, type WorkerConfig } from './config.ts';
import { buildIdOf, deploymentOptions } from './deployment.ts';
import { heartbeatThrottleMs, interceptors } from './interceptors.ts';
import type { WorkerDeps } from './make-deps.ts';

const graceMs = 20_000;
/** A dead worker's workflows are given to another when it has not come for them this long. */
const missedMs = 3_000;
/**
 * The SDK cuts a workflow off that runs for so long, by the clock of the wall, and what it had
 * still to do runs in the next workflow of the same thread. Five seconds, its own limit, is less
 * than a machine sleeps that is merely suspended.
 */
const runawayMs = 3600_000;
/** An option of the SDK that its types do not name. */
const unhurried = { isolateExecutionTimeout: runawayMs };

/** Workers on the queues of the platform; only the first of them holds workflows. */
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
 * How workflow tasks are fetched and kept. Without a cache the SDK has room for one workflow, and
 * the task of a second one evicts the first in the middle of its local activities: their results
 * are lost, and its task is tried again only after its time-out. Taken one at a time, none is
 * disturbed.
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
