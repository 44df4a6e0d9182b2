/** The setting by which a campaign configures the processes that run its races. */
export const campaignSetting = 'TRUSTCHECK_RACES';
export const reportSetting = 'TRUSTCHECK_RACES_REPORT';

export interface Campaign {
  readonly callers: number;
  readonly rounds: number;
  /** Whether each race runs with the full number of callers, even a slow one. */
  readonly isWhole: boolean;
}

export const writeCampaign = ({ callers, rounds, isWhole }: Campaign): string =>
  `${callers}x${rounds}${isWhole ? ' each' : ''}`;

/** Returns the current campaign; null in the suite. */
export function readCampaign(setting: string | undefined): Campaign | null {
  const match = /^(\d+)x(\d+)( each)?$/.exec(setting ?? '');
  if (!match) return null;
  const [, callers, rounds, each] = match;
  return { callers: Number(callers), rounds: Number(rounds), isWhole: each !== undefined };
}
