import { z } from 'zod';
import { Failure } from '../../../../workflows/failures.ts';
import { postToVendor } from '../../../vendors/post-to-vendor.ts';
import { providerDown } from '../../../vendors/provider.ts';
import { appleKeysConfig, appleToken, readAppleKeys } from './apple-keys.ts';

/** Settings of the renewal of App Attest receipts. */
export const receiptConfig = z.object({
  ...appleKeysConfig.shape,
  APP_ATTEST_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://data.appattest.apple.com')
    .describe('URL that renews App Attest receipts of released apps.'),
  APP_ATTEST_SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://data-development.appattest.apple.com')
    .describe('URL that renews App Attest receipts of development builds.'),
  APP_ATTEST_RISK_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(10)
    .describe(
      'Maximum number of keys of an app on one iPhone in 30 days, as Apple counts them. ' +
        'Above it, the device proof goes to review (`device_risk`).',
    ),
});

/** Response of Apple's server to a receipt. */
export type ReceiptAnswer =
  | { readonly outcome: 'renewed'; readonly receipt: Uint8Array }
  /**
   * Too early (304), Apple does not have the key any more (404), or the receipt is invalid (400).
   */
  | { readonly outcome: 'too_early' | 'no_data' | 'refused' };

export interface ReceiptService {
  /** Teams with a key, so that their receipts can be renewed. */
  readonly teams: readonly string[];
  /**
   * Exchanges a receipt for a newer one (Apple, "Assessing fraud risk").
   * @throws Failure `platform_not_configured` when Apple rejects our key, and
   * `dependency_unavailable` with Apple's retry time
   */
  renew(teamId: string, environment: string, receipt: Uint8Array): Promise<ReceiptAnswer>;
}

const vendor = 'app attest receipts';
const timeoutMs = 8_000;
const base64 = z.base64().min(1);

/**
 * Creates the client from the settings.
 * @throws Error with one line for an invalid key file
 */
export function createReceiptService(
  config: z.output<typeof receiptConfig>,
  clock: () => Date,
): ReceiptService {
  const keys = readAppleKeys(config.APPLE_DEVICE_KEYS);
  const hosts = new Map([
    ['production', config.APP_ATTEST_URL],
    ['sandbox', config.APP_ATTEST_SANDBOX_URL],
  ]);
  return {
    teams: [...keys.keys()],
    async renew(teamId, environment, receipt) {
      const [key, host] = [keys.get(teamId), hosts.get(environment)];
      if (!key || !host) throw new Failure('platform_not_configured');
      const { status, text, headers } = await postToVendor(
        vendor,
        `${host}/v1/attestationData`,
        timeoutMs,
        {
          headers: {
            authorization: await appleToken(teamId, key, clock()),
            'content-type': 'text/plain',
          },
          body: Buffer.from(receipt).toString('base64'),
        },
      );
      const known = outcomes.get(status);
      if (known) return { outcome: known };
      if (status === 401 || status === 403) throw new Failure('platform_not_configured');
      const renewed = status === 200 ? base64.safeParse(text.trim()) : null;
      if (!renewed?.success) throw providerDown(vendor, status, headers);
      return { outcome: 'renewed', receipt: Buffer.from(renewed.data, 'base64') };
    },
  };
}

const outcomes: ReadonlyMap<number, 'too_early' | 'no_data' | 'refused'> = new Map([
  [304, 'too_early'],
  [404, 'no_data'],
  [400, 'refused'],
]);
