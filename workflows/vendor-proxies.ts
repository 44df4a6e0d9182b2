import { proxyActivities } from '@temporalio/workflow';
import type {
  KeyStatusActivities,
  ReceiptActivities,
} from '../activities/attestation/activities.ts';
import { heartbeatTimeout } from './proxies.ts';
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
