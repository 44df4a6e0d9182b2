import { pino } from 'pino';
import type { Looks } from '../../../workers/metrics.ts';

/** A database without pending work, as the metrics of a worker query it. */
export const nothingWaits: Looks = {
  backlog: async () => [],
  openChecks: async () => [],
  imagesDue: async () => null,
  logFault: () => null,
  rootListEndsAt: () => null,
  clock: () => new Date(),
  log: pino({ enabled: false }),
};
