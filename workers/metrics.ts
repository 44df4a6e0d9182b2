import { Counter, Registry } from 'prom-client';

/** What a worker counts about itself, in the Prometheus text format. */
export interface WorkerMetrics {
  readonly registry: Registry;
  readonly affidavitFailures: Counter<'reason'>;
}

/** Makes the registry of one worker process. */
export function createWorkerMetrics(): WorkerMetrics {
  const registry = new Registry();
  return {
    registry,
    affidavitFailures: new Counter({
      name: 'trustcheck_affidavit_failures_total',
      help: 'Affidavits given up, by reason; each is tried again the next day',
      labelNames: ['reason'],
      registers: [registry],
    }),
  };
}
