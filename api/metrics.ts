import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { measureSteps } from '../activities/measure-steps.ts';
import { smsMetrics, type SmsMetrics } from './sms/metrics.ts';

/** What the API counts about itself, in the Prometheus text format on its own port. */
export interface Metrics {
  readonly registry: Registry;
  observeRequest(operation: string, status: number, ms: number): void;
  readonly attestationRefusals: Counter<'reason'>;
  readonly sockets: Gauge;
  readonly replayedEvents: Counter;
  readonly sms: SmsMetrics;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Makes the registry of one API process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  measureSteps(registry);
  const requests = new Histogram({
    name: 'trustcheck_http_request_seconds',
    help: 'Time to answer a call, by operation and class of status',
    labelNames: ['operation', 'status'],
    buckets,
    registers: [registry],
  });
  return {
    registry,
    observeRequest(operation, status, ms) {
      requests.observe({ operation, status: `${Math.floor(status / 100)}xx` }, ms / 1000);
    },
    attestationRefusals: new Counter({
      name: 'trustcheck_attestation_refusals_total',
      help: 'Attest headers and enrolments refused, by reason',
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
