import type { DueRecall } from '../../../db/queries/recalls.ts';
import {
  deviceRecallWorkflowId,
  type DeviceRecallInput,
} from '../../../workflows/device-recall/messages.ts';
import { appIdKey, flowKindKey } from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';

const requestedSecondsMax = 3 * 24 * 3600;

/** Returns the start options of the recall workflow of a device. Starting it twice is harmless. */
export function startOfRecall(
  { device_id, app_id, due }: DueRecall,
  bounds: Partial<Pick<DeviceRecallInput, 'asked_seconds_max'>> = {},
) {
  const input = { device_id, due, asked_seconds_max: requestedSecondsMax, ...bounds };
  return {
    workflowId: deviceRecallWorkflowId(input),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    staticSummary: 'What the vendor of a phone recalls of it',
    staticDetails: 'Whether it had enrolled before or is flagged, and what it is to recall.',
    typedSearchAttributes: [
      { key: flowKindKey, value: 'deviceRecall' },
      { key: appIdKey, value: app_id },
    ],
    args: [input] as [DeviceRecallInput],
  };
}
