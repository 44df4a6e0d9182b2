import { z } from 'zod';
import { readRecall } from '../../../../domain/proofs/device/verify-device-recall.ts';
import { Failure } from '../../../../workflows/failures.ts';
import { postToVendor, type VendorAnswer } from '../../../vendors/post-to-vendor.ts';
import { providerDown } from '../../../vendors/provider.ts';
import type { DeviceRecall, RecallCall } from '../device-recall.ts';
import { environmentOf, identityOf } from '../enrollment.ts';
import { appleKeysConfig, appleToken, readAppleKeys } from './apple-keys.ts';

/** Settings of DeviceCheck, which uses the keys that renew receipts. */
export const deviceCheckConfig = z.object({
  ...appleKeysConfig.shape,
  DEVICECHECK_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.devicecheck.apple.com')
    .describe('URL of the DeviceCheck API for released apps.'),
  DEVICECHECK_SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.development.devicecheck.apple.com')
    .describe('URL of the DeviceCheck API for development builds.'),
});

const vendor = 'devicecheck';
const timeoutMs = 8_000;

/**
 * Creates a client for Apple's two bits of a device, which all apps of a team share ("Accessing and
 * modifying per-device data"). The first bit means that someone enrolled on the device, the second
 * that the device is flagged.
 * @throws Error with one line for an invalid key file
 */
export function createDeviceCheck(
  config: z.output<typeof deviceCheckConfig>,
  clock: () => Date,
): DeviceRecall {
  const keys = readAppleKeys(config.APPLE_DEVICE_KEYS);
  const hosts = new Map([
    ['production', config.DEVICECHECK_URL],
    ['development', config.DEVICECHECK_SANDBOX_URL],
  ]);
  const post = async (operation: string, call: RecallCall, bits: object): Promise<VendorAnswer> => {
    const { team_id: teamId = '' } = identityOf(call.enrollment) ?? {};
    const [key, host] = [keys.get(teamId), hosts.get(environmentOf(call.enrollment) ?? '')];
    if (!key || !host) throw new Failure('platform_not_configured');
    const now = clock();
    const answer = await postToVendor(vendor, `${host}/v1/${operation}`, timeoutMs, {
      headers: {
        authorization: `Bearer ${await appleToken(teamId, key, now)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        device_token: call.token,
        transaction_id: call.transactionId,
        timestamp: now.getTime(),
        ...bits,
      }),
    });
    const { status, headers } = answer;
    if (status === 401 || status === 403) throw new Failure('platform_not_configured');
    if (status !== 200 && status !== 400) throw providerDown(vendor, status, headers);
    return answer;
  };
  return {
    async readBits(call) {
      const { status, text, headers } = await post('query_two_bits', call, {});
      if (status === 400) return null;
      // Bits that were never set arrive as plain text, with status 200.
      if (!readRecall('ios', text)) throw providerDown(vendor, status, headers);
      return text.trim();
    },
    async writeBits(call, { known, flagged }) {
      const { status } = await post('update_two_bits', call, { bit0: known, bit1: flagged });
      return status === 200;
    },
  };
}
