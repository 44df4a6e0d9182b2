import { isCancellation, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { outcomeKey } from '../search-attributes.ts';
import { proxyRecall, proxyRecallEnd } from '../vendor-proxies.ts';
import type { DeviceRecallInput, RecallStep } from './messages.ts';

const { endRecall } = proxyRecallEnd();

/**
 * Asks the vendor of an enrolled phone what it recalls of it and has it note the enrollment, or has
 * it keep the flag of a phone that the operator has revoked. A vendor that is away is asked as long
 * as the input says; what it has not said by then stands with the device as unavailable.
 */
export async function deviceRecall(
  input: DeviceRecallInput,
): Promise<{ readonly outcome: string }> {
  const { outcome } = await ask(input);
  setCurrentDetails(`**${outcome}**`);
  const attributes = [{ key: outcomeKey, value: outcome }];
  upsertSearchAttributes(attributes);
  return { outcome };
}

async function ask(input: DeviceRecallInput): Promise<RecallStep> {
  const { asked_seconds_max: secondsMax, ...phone } = input;
  const { readBits, writeBits } = proxyRecall(secondsMax);
  try {
    if (phone.due === 'enrolled') {
      const read = await readBits(phone);
      if (read.outcome !== 'told') return read;
    }
    return await writeBits(phone);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await endRecall(phone);
    return { outcome: 'unavailable' };
  }
}
