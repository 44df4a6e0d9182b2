/** The settings by which a campaign reaches the processes that hold its races. */
export const campaignSetting = 'TRUSTCHECK_RACES';
export const reportSetting = 'TRUSTCHECK_RACES_REPORT';

export interface Campaign {
  readonly callers: number;
  readonly rounds: number;
}

export const writeCampaign = ({ callers, rounds }: Campaign): string => `${callers}x${rounds}`;

/** The campaign that is on; null in the suite. */
export function readCampaign(setting: string | undefined): Campaign | null {
  const match = /^(\d+)x(\d+)$/.exec(setting ?? '');
  return match ? { callers: Number(match[1]), rounds: Number(match[2]) } : null;
}
