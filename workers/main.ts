import { once } from 'node:events';
import { Runtime } from '@temporalio/worker';
import { keyPlaceOf } from '../activities/keys/config.ts';
import { heldKeys } from '../activities/keys/directory/held-keys.ts';
import { refuseDevelopment } from '../activities/keys/directory/production-faults.ts';
import { loadDevTrust } from '../activities/runtime/config.ts';
import { askTemporal, createReadiness } from '../activities/runtime/readiness.ts';
import { withCauses } from '../activities/runtime/with-causes.ts';
import { requireMigrated } from '../db/migrating/migrate.ts';
import { ping } from '../db/queries/ping.ts';
import { readWorkerConfig } from './config.ts';
import { createWorkers } from './create-workers.ts';
import { createHealthServer } from './health.ts';
import { createSdkLogger, createWorkerLog } from './log.ts';
import { makeWorkerDeps } from './make-deps.ts';
import { outboxesOf } from './outboxes/outboxes.ts';
import { relayOutboxes } from './outboxes/relay.ts';
import { warmReaders } from './threads/warm-readers.ts';
import { lookAtLog } from './outboxes/sweeps/log-proofs.ts';

/** Runs the worker process: one worker for workflows, and one for each other task queue. */
async function main(): Promise<void> {
  const config = readWorkerConfig();
  loadDevTrust(config, config.PROFILE);
  await requireMigrated(config.DATABASE_URL);
  const log = createWorkerLog(config.LOG_LEVEL);
  const logger = createSdkLogger(log);
  // Without `forward` the native part of the SDK writes to the console.
  const telemetryOptions = { logging: { forward: {} } };
  Runtime.install({ shutdownSignals: [], logger, telemetryOptions });
  const { deps, stop } = await makeWorkerDeps(config, log);
  await refuseDevelopment(config, { ...keyPlaceOf(config), holds: heldKeys.worker }, deps.db);
  const [workers] = await Promise.all([createWorkers(config, deps), deps.threads.ready()]);
  const readers = warmReaders(deps);
  const runs = workers.map((worker) => worker.run());
  await lookAtLog(deps);
  const relay = relayOutboxes(deps.log, config.DATABASE_URL, outboxesOf(deps));
  const readiness = createReadiness({
    workers: async () => {
      if (workers.some((worker) => worker.getState() !== 'RUNNING')) throw new Error('not polling');
    },
    database: () => ping(deps.db, []),
    temporal: () => askTemporal(deps.connection),
    readers: async () => {
      if (!readers.isWarm()) throw new Error('no photograph or face can be read');
    },
    log: async () => {
      if (deps.kept.publicLog.fault() !== null) throw new Error('the public log is not signed');
    },
  });
  const health = createHealthServer(readiness, deps.metrics.registry);
  health.listen(config.WORKER_PORT, config.METRICS_HOST);
  await once(health, 'listening');
  const end = async (): Promise<void> => {
    health.close();
    readers.stop();
    await relay.stop();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(runs);
    await stop();
  };
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
  deps.log.info({ port: config.WORKER_PORT }, 'working');
  await Promise.all(runs);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${withCauses(error)}\n`);
  process.exit(1);
});
