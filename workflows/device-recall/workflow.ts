import { isCancellation, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { outcomeKey } from '../search-attributes.ts';
import { proxyRecall, proxyRecallEnd } from '../vendor-proxies.ts';
import type { DeviceRecallInput, RecallStep } from './messages.ts';

const { endRecall } = proxyRecallEnd();

/**
 * For an enrolled phone, reads the bits that the vendor stores about it and writes that it is
 * enrolled. For a phone that the operator revoked, writes the flag. Retries an unavailable vendor
 * for as long as the input allows, then records the device as `unavailable`.
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
