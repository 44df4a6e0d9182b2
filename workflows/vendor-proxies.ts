import { proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import type { RenewalActivities } from '../activities/affidavit/activities.ts';
import type {
  KeyStatusActivities,
  ReceiptActivities,
  RecallActivities,
} from '../activities/proofs/device/activities.ts';
import { heartbeatTimeout, quickRetry } from './proxies.ts';
import { taskQueues } from './task-queues.ts';

/** A publisher that is away is asked again for a while; then the next time of the schedule does. */
export function proxyKeyStatus(): KeyStatusActivities {
  return proxyActivities<KeyStatusActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '5m',
    heartbeatTimeout,
    scheduleToCloseTimeout: '50m',
    retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '5m' },
    summary: 'fetch the list of revoked Android keys',
  });
}

/** Verifying and stamping is CPU work; while a store is away it is tried again. */
export function proxyRenewal(): RenewalActivities {
  return proxyActivities<RenewalActivities>({
    taskQueue: taskQueues.crypto,
    startToCloseTimeout: '10m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'archive the affidavits that are due',
  });
}

/** Apple is asked again for a while, as it says itself; a key that it refuses stays refused. */
export function proxyReceipt(): ReceiptActivities {
  return proxyActivities<ReceiptActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '20s',
    heartbeatTimeout,
    scheduleToCloseTimeout: '12h',
    retry: {
      initialInterval: '5s',
      backoffCoefficient: 2,
      maximumInterval: '30m',
      nonRetryableErrorTypes: ['platform_not_configured'],
    },
    summary: 'renew the receipt of an iPhone',
  });
}

/** A vendor is asked for long: what it recalls of a phone is worth knowing late, too. */
export function proxyRecall(secondsMax: number): Pick<RecallActivities, 'readBits' | 'writeBits'> {
  const options: ActivityOptions = {
    taskQueue: taskQueues.core,
    startToCloseTimeout: '20s',
    heartbeatTimeout,
    scheduleToCloseTimeout: secondsMax * 1_000,
    retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '30m' },
  };
  const named = (summary: string) => proxyActivities<RecallActivities>({ ...options, summary });
  const { readBits } = named('ask the vendor what it recalls of the phone');
  const { writeBits } = named('have the vendor keep it');
  return { readBits, writeBits };
}

/** What could not be had is noted on our own store. */
export function proxyRecallEnd(): Pick<RecallActivities, 'endRecall'> {
  return proxyLocalActivities<RecallActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}
