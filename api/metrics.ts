import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { measureSteps } from '../activities/runtime/measure-steps.ts';

/** Metrics of the API, in the Prometheus text format on a separate port. */
export interface Metrics {
  readonly registry: Registry;
  observeRequest(operation: string, status: number, ms: number): void;
  readonly attestationRefusals: Counter<'reason'>;
  readonly sockets: Gauge;
  readonly replayedEvents: Counter;
  readonly sms: SmsMetrics;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Values that are read at each scrape. */
export interface Looks {
  /** Age of the list of revoked Android keys in this process; null where unknown. */
  readonly listAgeMs: () => number | null;
}

/** Creates the registry of one API process. */
export function createMetrics({ listAgeMs }: Looks = { listAgeMs: () => null }): Metrics {
  const registry = new Registry();
  measureSteps(registry);
  const requests = new Histogram({
    name: 'trustcheck_http_request_seconds',
    help: 'Time to answer a call, by operation and class of status',
    labelNames: ['operation', 'status'],
    buckets,
    registers: [registry],
  });
  const age: Gauge = new Gauge({
    name: 'trustcheck_android_status_list_age_seconds',
    help: 'Since when nobody has confirmed the list of revoked Android keys; without one infinite',
    registers: [registry],
    collect: () => {
      const ageMs = listAgeMs();
      if (ageMs === null) age.remove();
      else age.set(Math.max(0, ageMs) / 1000);
    },
  });
  return {
    registry,
    observeRequest(operation, status, ms) {
      requests.observe({ operation, status: `${Math.floor(status / 100)}xx` }, ms / 1000);
    },
    attestationRefusals: new Counter({
      name: 'trustcheck_attestation_refusals_total',
      help: 'Attest headers and enrollments refused, by reason',
      labelNames: ['reason'],
      registers: [registry],
    }),
    sockets: new Gauge({
      name: 'trustcheck_sockets',
      help: 'Open real-time connections',
      registers: [registry],
    }),
    replayedEvents: new Counter({
      name: 'trustcheck_socket_events_total',
      help: 'Events sent to sockets, replayed or live',
      registers: [registry],
    }),
    sms: smsMetrics(registry),
  };
}

/** The limits of text messages, by the label that counts their refusals. */
export const smsLimitNames = [
  'number',
  'number-day',
  'range',
  'network',
  'account-hour',
  'account-day',
  'day',
  'conversion',
] as const;
export type SmsLimitName = (typeof smsLimitNames)[number];

/** Metrics of text messages. */
export interface SmsMetrics {
  readonly refusals: Counter<'limit'>;
  readonly budgetUsed: Gauge;
  readonly deliveries: Counter<'result' | 'reason'>;
}

/** Creates the metrics of text messages in a registry. */
function smsMetrics(registry: Registry): SmsMetrics {
  const registers = [registry];
  const refusals = new Counter({
    name: 'trustcheck_sms_refusals_total',
    help: 'Text messages that were not sent, by the limit that was over',
    labelNames: ['limit'],
    registers,
  });
  // Each limit starts at 0, because a missing series looks like a limit that is never counted.
  for (const limit of smsLimitNames) refusals.inc({ limit }, 0);
  return {
    refusals,
    budgetUsed: new Gauge({
      name: 'trustcheck_sms_budget_used_ratio',
      help: 'How much of SMS_DAILY_MAX was used at the last message',
      registers,
    }),
    deliveries: new Counter({
      name: 'trustcheck_sms_deliveries_total',
      help: 'What the provider said of text messages, by result and why they did not arrive',
      labelNames: ['result', 'reason'],
      registers,
    }),
  };
}
