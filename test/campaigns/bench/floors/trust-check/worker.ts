import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import { answerParent, setting } from '../../measure/child.ts';
import { floorActivities } from './activities.ts';

/** The worker of the floor: the options of ours, without codec, tracing, interceptors or store. */
const logger = new DefaultLogger('WARN');
Runtime.install({ shutdownSignals: [], logger });
const connection = await NativeConnection.connect({ address: setting('TEMPORAL_ADDRESS') });
const worker = await Worker.create({
  connection,
  taskQueue: setting('TASK_QUEUE'),
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: new URL('./workflow.ts', import.meta.url).pathname,
    logger,
  }),
  activities: floorActivities,
  maxCachedWorkflows: 300,
  maxConcurrentWorkflowTaskExecutions: 20,
  workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 4, maximum: 8 },
});
const run = worker.run();
answerParent(0, async () => undefined);
await run;
