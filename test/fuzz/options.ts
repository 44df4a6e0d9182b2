import type { CampaignOptions } from './campaign.ts';

/** The settings by which the command tells the tests what to do; unset in a run of the suite. */
export const requestsSetting = 'TRUSTCHECK_FUZZ_REQUESTS';
export const seedSetting = 'TRUSTCHECK_FUZZ_SEED';
export const reportFile = 'TRUSTCHECK_FUZZ_REPORT';

/** What a run of the suite sends. */
const requestsUsual = 1_200;

export function optionsFromEnv(): CampaignOptions {
  const { [requestsSetting]: requests, [seedSetting]: seed } = process.env;
  return {
    requests: Number(requests ?? requestsUsual),
    seed: Number(seed ?? Math.floor(Math.random() * 2 ** 31)),
  };
}
