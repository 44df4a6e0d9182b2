import type { CampaignOptions } from './campaign.ts';

/** Settings from the command to the tests; unset in a run of the suite. */
export const requestsSetting = 'TRUSTCHECK_FUZZ_REQUESTS';
export const seedSetting = 'TRUSTCHECK_FUZZ_SEED';
export const reportFile = 'TRUSTCHECK_FUZZ_REPORT';

/** Returns the options of the command; null in a run of the suite. */
export function optionsFromEnv(): CampaignOptions | null {
  const { [requestsSetting]: requests, [seedSetting]: seed } = process.env;
  return requests === undefined ? null : { requests: Number(requests), seed: Number(seed) };
}
