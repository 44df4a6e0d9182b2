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

/**
 * Apple did not answer, or refused our key. The stored receipt stays; the next attempt is in a day.
 */
const unanswered = { outcome: 'unanswered', wait_seconds: 24 * 3600 } as const;

/**
 * Renews the App Attest receipt of an enrolled iPhone whenever Apple allows it, until the device is
 * revoked or the receipt expires.
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

// This workflow runs for months. AUTO_UPGRADE moves each task to the current build.
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
