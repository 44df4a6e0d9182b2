import {
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setWorkflowOptions,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { proxyReceipt } from '../vendor-proxies.ts';
import { outcomeKey } from '../search-attributes.ts';
import type { DeviceReceiptInput, ReceiptStep } from './messages.ts';

const { renewReceipt } = proxyReceipt();

/** Nobody answers, or nobody lets us: the receipt at hand stays, and is looked at the next day. */
const unanswered = { outcome: 'unanswered', wait_seconds: 24 * 3600 } as const;

/**
 * Follows the App Attest receipt of an enrolled iPhone: renewed as soon as Apple allows, until the
 * device is revoked or the receipt has ended.
 */
export async function deviceReceipt(
  input: DeviceReceiptInput,
): Promise<{ readonly outcome: string }> {
  for (let steps = 1; ; steps += 1) {
    const { outcome, wait_seconds } = await look(input);
    setCurrentDetails(`**${outcome}**`);
    if (outcome === 'over' || outcome === 'expired') {
      const attributes = [{ key: outcomeKey, value: outcome }];
      upsertSearchAttributes(attributes);
      return { outcome };
    }
    const seconds = Math.min(wait_seconds, input.wait_seconds_max);
    await sleep(seconds * 1000, { summary: 'until the receipt may be renewed' });
    if (steps >= input.steps_max || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof deviceReceipt>(input);
    }
  }
}

// It lives for months, and would keep the build it began with: each task goes to the current one.
setWorkflowOptions(
  () =>
    workflowInfo().currentDeploymentVersion?.deploymentName
      ? { versioningBehavior: 'AUTO_UPGRADE' }
      : {},
  deviceReceipt,
);

async function look({ device_id }: DeviceReceiptInput): Promise<ReceiptStep | typeof unanswered> {
  try {
    return await renewReceipt({ device_id });
  } catch (error) {
    if (isCancellation(error)) throw error;
    return unanswered;
  }
}
