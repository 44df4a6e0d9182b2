import { failReport } from '../../db/queries/meeting-reports.ts';
import { findMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import type { MeetingSnapshot, MeetingStep } from '../../workflows/meeting/messages.ts';
import { joinUrlContext } from '../identity/names.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { Conferences } from './platforms/conference.ts';
import { changeMeeting, type RecordDeps } from './record.ts';
import type { renderReport } from './report/report-pages.ts';
import { makeReport } from './report/report.ts';
import { recordEvent } from './record-event.ts';
import { verify } from './verify.ts';

export interface MeetingActivities {
  /** Has the platform open the conference and records it. Repeated calls return the same one. */
  openConference(input: { meeting_key: string }): Promise<{
    readonly is_live: boolean;
    readonly snapshot: MeetingSnapshot;
  }>;
  recordMeeting(input: { meeting_key: string; step: MeetingStep }): Promise<MeetingSnapshot>;
  /** Records an event of the platform, once. */
  takePlatformEvent(input: { meeting_key: string; event_id: string }): Promise<MeetingSnapshot>;
}

export interface ReportActivities {
  /** Renders, stores and publishes a report. Repeated calls return the same one. */
  makeMeetingReport(input: { report_id: string }): Promise<{ readonly sha256: string }>;
  failMeetingReport(input: { report_id: string }): Promise<void>;
}

export interface MeetingDeps extends RecordDeps {
  readonly sealer: Sealer;
  readonly conferences: Conferences;
  readonly store: ObjectStore;
  readonly heavy: { readonly renderReport: typeof renderReport };
  /** Whether simulated phones or passports are accepted here. */
  readonly hasDevelopmentRoots: boolean;
}

/** Returns the activities of a meeting. Each can be repeated without a second effect. */
export function createMeetingActivities(deps: MeetingDeps): MeetingActivities & ReportActivities {
  return {
    openConference: (input) => open(deps, input.meeting_key),
    recordMeeting: (input) => record(deps, input.meeting_key, input.step),
    takePlatformEvent: (input) => recordEvent(deps, input.meeting_key, input.event_id),
    makeMeetingReport: (input) => makeReport(deps, input.report_id),
    failMeetingReport: (input) => failReport(deps.db, input.report_id),
  };
}

async function open(deps: MeetingDeps, meetingKey: string) {
  const meeting = await must(deps, meetingKey);
  const conference = deps.conferences[meeting.platform];
  if (!conference?.open) throw new Failure('platform_not_configured');
  const place = await conference.open(meeting);
  const sealed =
    place.joinUrl === null
      ? null
      : await deps.sealer.seal(
          accountOwner(meeting.account_id),
          joinUrlContext(meetingKey),
          place.joinUrl,
        );
  const snapshot = await changeMeeting(deps, meetingKey, async (known) => {
    if (known.meeting().meeting_id !== null) return;
    await known.place({ meeting_id: Buffer.from(place.meetingId), join_url_sealed: sealed });
  });
  return { is_live: place.isLive, snapshot };
}

async function record(
  deps: MeetingDeps,
  meetingKey: string,
  step: MeetingStep,
): Promise<MeetingSnapshot> {
  return changeMeeting(deps, meetingKey, async (known) => {
    if (step.kind === 'verify') return verify(known, step);
    await known.move(step.kind, reasonOf(step));
  });
}

function reasonOf(step: Exclude<MeetingStep, { kind: 'verify' }>): string | undefined {
  if (step.kind === 'end') return step.reason;
  if (step.kind === 'miss') return 'no_show';
  return step.kind === 'fail_start' ? 'start_failed' : undefined;
}

async function must(deps: MeetingDeps, meetingKey: string): Promise<MeetingRow> {
  const meeting = await findMeeting(deps.db, meetingKey);
  if (!meeting) throw new Error('the meeting does not exist');
  return meeting;
}
