import { Worker } from '@temporalio/worker';
import { taskQueues } from '../workflows/task-queues.ts';
import { bundleWorkflows } from './bundle.ts';
import type { WorkerConfig } from './config.ts';
import { interceptors } from './interceptors.ts';
import type { WorkerDeps } from './make-deps.ts';

const graceMs = 20_000;
/** A dead worker's workflows are given to another when it has not come for them this long. */
const missedMs = 3_000;

/** Workers on the queues of the platform; only the first of them holds workflows. */
export async function createWorkers(config: WorkerConfig, deps: WorkerDeps): Promise<Worker[]> {
  const common = {
    connection: deps.connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: deps.dataConverter,
    activities: deps.activities,
    plugins: [deps.plugin],
    interceptors,
    shutdownGraceTime: graceMs,
  };
  const workflowBundle = await bundleWorkflows(deps.plugin, config.WORKFLOW_BUNDLES);
  return Promise.all([
    Worker.create({
      ...common,
      taskQueue: taskQueues.core,
      workflowBundle,
      maxCachedWorkflows: config.WORKFLOWS_CACHED_MAX,
      stickyQueueScheduleToStartTimeout: missedMs,
      maxConcurrentWorkflowTaskExecutions: 20,
      workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 8 },
    }),
    Worker.create({
      ...common,
      taskQueue: taskQueues.crypto,
      maxConcurrentActivityTaskExecutions: 2,
    }),
    Worker.create({ ...common, taskQueue: taskQueues.mail, maxTaskQueueActivitiesPerSecond: 20 }),
  ]);
}
