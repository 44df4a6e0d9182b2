import { writeSync } from 'node:fs';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { heartbeatThrottleMs, interceptors } from '../../workers/interceptors.ts';
import { taskQueues } from '../../workflows/task-queues.ts';

/** A worker with an activity that never ends. Prints `begun` when the activity starts. */
const [address = '', namespace = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: taskQueues.crypto,
  interceptors,
  maxHeartbeatThrottleInterval: heartbeatThrottleMs,
  activities: {
    async issueAffidavit() {
      writeSync(1, 'begun\n');
      await new Promise(() => undefined);
    },
  },
});
await worker.run();
