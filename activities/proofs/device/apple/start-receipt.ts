import type { DeviceWithoutReceipt } from '../../../../db/queries/receipts.ts';
import {
  deviceReceiptWorkflowId,
  type DeviceReceiptInput,
} from '../../../../workflows/device-receipt/messages.ts';
import { appIdKey, flowKindKey } from '../../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';

const weekSeconds = 7 * 24 * 3600;
const stepsMax = 200;

/** Returns the start options of the receipt workflow of a device. Starting it twice is harmless. */
export function startOfReceipt(
  { device_id, app_id }: DeviceWithoutReceipt,
  bounds: Partial<Pick<DeviceReceiptInput, 'wait_seconds_max'>> = {},
) {
  const input: DeviceReceiptInput = {
    device_id,
    wait_seconds_max: weekSeconds,
    steps_max: stepsMax,
    ...bounds,
  };
  return {
    workflowId: deviceReceiptWorkflowId(device_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    staticSummary: 'The App Attest receipt of an iPhone',
    staticDetails: 'Renewed as often as Apple allows, for how many keys the phone has attested.',
    typedSearchAttributes: [
      { key: flowKindKey, value: 'deviceReceipt' },
      { key: appIdKey, value: app_id },
    ],
    args: [input] as [DeviceReceiptInput],
  };
}
