import type { MeetingRow } from '../../../db/queries/meetings.ts';
import type { MeetingPlatform } from '../../../domain/names.ts';
import { confBConference } from './conf-b.ts';
import { sandboxConference } from './sandbox.ts';

/** What a platform tells of a meeting, in words of ours. */
export interface ConferenceEvent {
  readonly kind: 'started' | 'ended' | 'waiting' | 'joined' | 'left' | 'removed' | 'denied';
  /** When it happened; null where only its coming tells. */
  readonly at: Date | null;
  /** Whom it is about, as we or as the platform calls them; and their name, if it tells that. */
  readonly participant?: {
    readonly participantId?: string;
    readonly externalId?: string;
    readonly name?: string;
  };
}

/** A place on a platform. */
export interface ConferencePlace {
  readonly meetingId: Uint8Array;
  /** Where people come in; null where that follows from the id. */
  readonly joinUrl: string | null;
  /** Whether the meeting has begun with that, so that no event will say so. */
  readonly isLive: boolean;
}

/** A conference platform as meetings need it. */
export interface Conference {
  /**
   * Opens the place of a meeting: asked for again it is the same one. Missing where meetings cannot
   * be started on the platform from here.
   */
  readonly open?: (meeting: Pick<MeetingRow, 'meeting_key'>) => Promise<ConferencePlace>;
  /** What an event of the inbox says; nothing where it says nothing of use. */
  readonly read: (body: unknown) => readonly ConferenceEvent[];
}

/** The platforms there are; of those that are not known here nothing is read. */
export type Conferences = Readonly<Partial<Record<MeetingPlatform, Conference>>>;

export function createConferences(): Conferences {
  return { 'conf-b': confBConference, sandbox: sandboxConference };
}
