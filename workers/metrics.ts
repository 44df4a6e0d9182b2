import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { stampSources, type StampSource } from '../activities/keys/timestamps/stamps.ts';
import { singleFlight } from '../activities/runtime/single-flight.ts';
import { measureSteps } from '../activities/runtime/measure-steps.ts';
import { measures, renewalResults } from '../activities/runtime/measures.ts';
import type { Removed } from '../activities/trust-checks/retention/activities.ts';
import type { OpenChecks, OutboxBacklog } from '../db/queries/backlog.ts';
import { affidavitFaults } from '../workflows/affidavit-faults.ts';
import { isTrustCheckFinal, trustCheckStates } from '../workflows/trust-check/state.ts';

/** Metrics of a worker, in the Prometheus text format. */
export interface WorkerMetrics {
  readonly registry: Registry;
  readonly affidavitFailures: Counter<'reason'>;
  /** Counts a seal by the authority that timestamped it. */
  readonly countStamp: (source: StampSource) => void;
  readonly vendorRefusals: Counter<'vendor'>;
  /** Counts what retention removed, or a failure to remove it. */
  readonly retention: (removed: Removed | 'failed') => void;
}

/** Values that are read when the metrics are scraped. */
export interface Looks {
  readonly backlog: () => Promise<readonly OutboxBacklog[]>;
  readonly openChecks: () => Promise<readonly OpenChecks[]>;
  /** When the longest overdue images should have been removed; null if none are overdue. */
  readonly imagesDue: () => Promise<Date | null>;
  /** Why the public log is not signed; null while it is. */
  readonly logFault: () => string | null;
  /** When the root's CRL expires; null if there is none. */
  readonly rootListEndsAt: () => Date | null;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

export function createWorkerMetrics(looks: Looks): WorkerMetrics {
  const registry = new Registry();
  measureSteps(registry);
  measureLags(registry);
  lookAtDatabase(registry, looks);
  const logBroken: Gauge = new Gauge({
    name: 'trustcheck_public_log_broken',
    help: 'Whether the public log does not go on from what it has signed: nothing is signed then',
    registers: [registry],
    collect: () => logBroken.set(looks.logFault() === null ? 0 : 1),
  });
  const rootListLeft: Gauge = new Gauge({
    name: 'trustcheck_root_list_left_seconds',
    help: 'How long the revocation list of the root still holds: without one nothing is archived',
    registers: [registry],
    collect() {
      const endsAt = looks.rootListEndsAt()?.getTime() ?? 0;
      rootListLeft.set(Math.max(0, endsAt - looks.clock().getTime()) / 1000);
    },
  });
  const unarchived = new Counter({
    name: 'trustcheck_affidavits_unarchived_total',
    help: 'Affidavits that were sealed without the lists that prove their keys good for long',
    registers: [registry],
  });
  measures.unarchived.listen(() => unarchived.inc());
  const renewals = new Counter({
    name: 'trustcheck_affidavit_renewals_total',
    help: 'Affidavits that were due to be archived, for the first time or again, by result',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of renewalResults) renewals.inc({ result }, 0);
  measures.renewal.listen((result) => renewals.inc({ result }));
  const affidavitFailures = new Counter({
    name: 'trustcheck_affidavit_failures_total',
    help: 'Affidavits given up, by reason; each is tried again the next day',
    labelNames: ['reason'],
    registers: [registry],
  });
  // A counter that first appears as 1 hides its first increase, so each starts at 0.
  for (const reason of affidavitFaults) affidavitFailures.inc({ reason }, 0);
  const timestamps = new Counter({
    name: 'trustcheck_seal_timestamps_total',
    help: 'Seals by who stamped them; none gave a time stamp to those of source none',
    labelNames: ['source'],
    registers: [registry],
  });
  for (const source of stampSources) timestamps.inc({ source }, 0);
  const countStamp = (source: StampSource): void => timestamps.inc({ source });
  const vendorRefusals = new Counter({
    name: 'trustcheck_vendor_refusals_total',
    help: 'Calls that a vendor of phones refused for our key',
    labelNames: ['vendor'],
    registers: [registry],
  });
  for (const vendor of ['apple', 'google']) vendorRefusals.inc({ vendor }, 0);
  const retention = countRemovals(registry, looks);
  return { registry, affidavitFailures, countStamp, vendorRefusals, retention };
}

function countRemovals(
  registry: Registry,
  { imagesDue, clock, log }: Looks,
): WorkerMetrics['retention'] {
  const registers = [registry];
  const kinds = ['files', 'images', 'photos'] as const;
  const removals = new Counter({
    name: 'trustcheck_images_removed_total',
    help: 'What was removed since it had been kept long enough, by kind',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of kinds) removals.inc({ kind }, 0);
  const checks = new Counter({
    name: 'trustcheck_retention_checks_total',
    help: 'Checks whose images were due, by result',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['removed', 'failed']) checks.inc({ result }, 0);
  const due = nullIfUnavailable(async () => ({ at: await imagesDue() }), log);
  const overdue: Gauge = new Gauge({
    name: 'trustcheck_images_overdue_seconds',
    help: 'How long images have been kept past their time, those that wait the longest',
    registers,
    collect: async () => {
      const found = await due();
      overdue.remove();
      if (found) overdue.set(secondsSince(found.at, clock));
    },
  });
  return (removed) => {
    checks.inc({ result: removed === 'failed' ? removed : 'removed' });
    if (removed === 'failed') return;
    for (const kind of kinds) removals.inc({ kind }, removed[kind]);
  };
}

const lagBuckets = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600, 6 * 3600, 86_400];

function measureLags(registry: Registry): void {
  const registers = [registry];
  const affidavits = new Histogram({
    name: 'trustcheck_affidavit_lag_seconds',
    help: 'Time from the decision of a check until its affidavit is there',
    buckets: lagBuckets,
    registers,
  });
  const deliveries = new Histogram({
    name: 'trustcheck_webhook_lag_seconds',
    help: 'Time from an event until an endpoint has taken it',
    buckets: lagBuckets,
    registers,
  });
  const attempts = new Counter({
    name: 'trustcheck_webhook_attempts_total',
    help: 'Attempts at webhooks, by result',
    labelNames: ['result'],
    registers,
  });
  measures.affidavit.listen((seconds) => affidavits.observe(seconds));
  measures.delivery.listen(({ result, lagSeconds }) => {
    attempts.inc({ result });
    if (lagSeconds !== null) deliveries.observe(lagSeconds);
  });
}

const openStates = trustCheckStates.filter((state) => !isTrustCheckFinal(state));

/**
 * Every worker reports the same values: take the maximum. They are absent while the database is
 * unavailable.
 */
function lookAtDatabase(registry: Registry, { backlog, openChecks, clock, log }: Looks): void {
  const registers = [registry];
  const looked = nullIfUnavailable(backlog, log);
  const counted = nullIfUnavailable(openChecks, log);
  const open = new Gauge({
    name: 'trustcheck_checks_open',
    help: 'Checks that are not over, by state',
    labelNames: ['state'],
    registers,
    collect: async () => {
      const found = await counted();
      open.reset();
      for (const state of found ? openStates : []) open.set({ state }, 0);
      for (const { state, checks } of found ?? []) open.set({ state }, checks);
    },
  });
  const processing = new Gauge({
    name: 'trustcheck_checks_processing_oldest_seconds',
    help: 'How long the check has been in processing that came to it first',
    registers,
    collect: async () => {
      const found = await counted();
      processing.remove();
      if (!found) return;
      const since = found.find(({ state }) => state === 'processing')?.oldest_at;
      processing.set(secondsSince(since, clock));
    },
  });
  const depth = new Gauge({
    name: 'trustcheck_outbox_depth',
    help: 'Rows that wait for a worker, by outbox',
    labelNames: ['outbox'],
    registers,
    collect: async () => {
      const found = await looked();
      depth.reset();
      for (const { outbox, waiting } of found ?? []) depth.set({ outbox }, waiting);
    },
  });
  const oldest = new Gauge({
    name: 'trustcheck_outbox_oldest_seconds',
    help: 'How long the oldest of them has waited, by outbox',
    labelNames: ['outbox'],
    registers,
    collect: async () => {
      const found = await looked();
      oldest.reset();
      for (const { outbox, oldest_at } of found ?? []) {
        oldest.set({ outbox }, secondsSince(oldest_at, clock));
      }
    },
  });
}

const secondsSince = (at: Date | null | undefined, clock: () => Date): number =>
  at ? Math.max(0, clock().getTime() - at.getTime()) / 1000 : 0;

/**
 * Wraps a query: concurrent callers share one run, and a failed run returns null, so that the other
 * metrics still work. Logs only the first of consecutive faults, since scrapes are frequent.
 */
function nullIfUnavailable<T>(
  look: () => Promise<T>,
  log: Pick<Logger, 'warn'>,
): () => Promise<T | null> {
  let isReported = false;
  return singleFlight(async () => {
    try {
      const found = await look();
      isReported = false;
      return found;
    } catch (err) {
      if (!isReported) log.warn({ err }, 'metrics without figures from the database');
      isReported = true;
      return null;
    }
  });
}
