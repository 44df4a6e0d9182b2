import type { CampaignOptions } from './campaign.ts';

/** The settings by which the command tells the tests what to do; unset in a run of the suite. */
export const requestsSetting = 'TRUSTCHECK_FUZZ_REQUESTS';
export const seedSetting = 'TRUSTCHECK_FUZZ_SEED';
export const reportFile = 'TRUSTCHECK_FUZZ_REPORT';

/** What the command has said; null in a run of the suite. */
export function optionsFromEnv(): CampaignOptions | null {
  const { [requestsSetting]: requests, [seedSetting]: seed } = process.env;
  return requests === undefined ? null : { requests: Number(requests), seed: Number(seed) };
}
