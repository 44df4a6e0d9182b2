import type { MeetingRow } from '../../../db/queries/meetings.ts';
import type { MeetingPlatform } from '../../../domain/names.ts';
import { confBConference } from './conf-b.ts';
import { sandboxConference } from './sandbox.ts';

/** An event of a meeting, translated from the platform's format. */
export interface ConferenceEvent {
  readonly kind: 'started' | 'ended' | 'waiting' | 'joined' | 'left' | 'removed' | 'denied';
  /** When it happened; null if the event has no time of its own. */
  readonly at: Date | null;
  /** The person, by our id or the platform's, and the name if the platform sends it. */
  readonly participant?: {
    readonly participantId?: string;
    readonly externalId?: string;
    readonly name?: string;
  };
}

/** A conference that was opened on a platform. */
export interface ConferencePlace {
  readonly meetingId: Uint8Array;
  /** URL to join; null if it follows from the id. */
  readonly joinUrl: string | null;
  /** Whether the meeting is live as soon as it is opened, without a further event. */
  readonly isLive: boolean;
}

/** A conference platform, as used by meetings. */
export interface Conference {
  /**
   * Opens the conference of a meeting. Repeated calls return the same one. Absent if we cannot
   * start meetings on the platform.
   */
  readonly open?: (meeting: Pick<MeetingRow, 'meeting_key'>) => Promise<ConferencePlace>;
  /** Reads an inbox event. Returns an empty list if it has nothing of use. */
  readonly read: (body: unknown) => readonly ConferenceEvent[];
}

/** The supported platforms. Events of other platforms are not read. */
export type Conferences = Readonly<Partial<Record<MeetingPlatform, Conference>>>;

export function createConferences(): Conferences {
  return { 'conf-b': confBConference, sandbox: sandboxConference };
}
