import type { LinkRow } from '../../db/queries/links.ts';
import { meetingPlatforms, type MeetingPlatform } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

/** The plan of a meeting in its link. */
export interface PlannedMeeting {
  readonly platform: MeetingPlatform | undefined;
  readonly topic: string | null;
  readonly organization: string | null;
  readonly scheduledAt: Date | null;
}

export function meetingOfLink({ meeting }: Pick<LinkRow, 'meeting'>): PlannedMeeting {
  const { platform, topic, organization, scheduled_at: at } = meeting ?? {};
  return {
    platform: meetingPlatforms.find((name) => name === platform),
    topic: typeof topic === 'string' ? topic : null,
    organization: typeof organization === 'string' ? organization : null,
    scheduledAt: typeof at === 'string' ? new Date(at) : null,
  };
}

/**
 * Returns a platform that is configured here.
 * @throws Failure `platform_not_configured`
 */
export function configuredPlatformOrThrow(
  { outside }: Pick<Deps, 'outside'>,
  platform: MeetingPlatform | undefined,
): MeetingPlatform {
  if (platform && outside.conferences[platform]?.open) return platform;
  throw new Failure('platform_not_configured', {
    detail: platform ? `${platform} is not configured here` : 'Neither call nor link name one',
  });
}
