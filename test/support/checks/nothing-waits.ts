import { pino } from 'pino';
import type { Looks } from '../../../workers/metrics.ts';

/** A database in which nothing waits, as the metrics of a worker look at it. */
export const nothingWaits: Looks = {
  backlog: async () => [],
  openChecks: async () => [],
  imagesDue: async () => null,
  logFault: () => null,
  rootListEndsAt: () => null,
  clock: () => new Date(),
  log: pino({ enabled: false }),
};
