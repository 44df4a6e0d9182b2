import { proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import type { RenewalActivities } from '../activities/affidavit/activities.ts';
import type {
  KeyStatusActivities,
  ReceiptActivities,
  RecallActivities,
} from '../activities/proofs/device/activities.ts';
import { heartbeatTimeout, quickRetry } from './proxies.ts';
import { taskQueues } from './task-queues.ts';

/** Retries an unavailable publisher for a while, then leaves it to the next scheduled run. */
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

/**
 * Verifies and timestamps, which is CPU work. Retried while the database or store is unavailable.
 */
export function proxyRenewal(): RenewalActivities {
  return proxyActivities<RenewalActivities>({
    taskQueue: taskQueues.crypto,
    startToCloseTimeout: '10m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'archive the affidavits that are due',
  });
}

/** Retries Apple for 12 hours, and honors its Retry-After. A refused key is not retried. */
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

/** Retries a vendor for a long time: its answer about a phone is useful even if it is late. */
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

/** Records in our own database that the vendor gave no answer. */
export function proxyRecallEnd(): Pick<RecallActivities, 'endRecall'> {
  return proxyLocalActivities<RecallActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}
