/** The settings by which a campaign reaches the processes that hold its races. */
export const campaignSetting = 'TRUSTCHECK_RACES';
export const reportSetting = 'TRUSTCHECK_RACES_REPORT';

export interface Campaign {
  readonly callers: number;
  readonly rounds: number;
  /** Whether each race has all of them, a long one too. */
  readonly isWhole: boolean;
}

export const writeCampaign = ({ callers, rounds, isWhole }: Campaign): string =>
  `${callers}x${rounds}${isWhole ? ' each' : ''}`;

/** The campaign that is on; null in the suite. */
export function readCampaign(setting: string | undefined): Campaign | null {
  const match = /^(\d+)x(\d+)( each)?$/.exec(setting ?? '');
  if (!match) return null;
  const [, callers, rounds, each] = match;
  return { callers: Number(callers), rounds: Number(rounds), isWhole: each !== undefined };
}
