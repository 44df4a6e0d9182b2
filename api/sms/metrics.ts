import { Counter, Gauge, type Registry } from 'prom-client';

/** The limits that can be over, by the names their refusals are counted under. */
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

/** What is counted of text messages. */
export interface SmsMetrics {
  readonly refusals: Counter<'limit'>;
  readonly budgetUsed: Gauge;
  readonly deliveries: Counter<'result' | 'reason'>;
}

/** Makes what is counted of text messages, in the registry of one API process. */
export function smsMetrics(registry: Registry): SmsMetrics {
  const registers = [registry];
  const refusals = new Counter({
    name: 'trustcheck_sms_refusals_total',
    help: 'Text messages that were not sent, by the limit that was over',
    labelNames: ['limit'],
    registers,
  });
  // A limit that is never over is told, too: what is not told is not seen to stay 0.
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
