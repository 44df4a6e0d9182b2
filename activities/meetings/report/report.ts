import type { Db } from '../../../db/client.ts';
import { findAccount } from '../../../db/queries/accounts.ts';
import { listStream } from '../../../db/queries/events.ts';
import {
  isPlayed,
  meetingIdOf,
  meetingStream,
  participantIn,
  stateIn,
} from '../../../db/queries/meeting-event.ts';
import { listParticipants } from '../../../db/queries/meeting-participants.ts';
import { findReport, publishReport, type ReportRow } from '../../../db/queries/meeting-reports.ts';
import { findMeeting, type MeetingRow } from '../../../db/queries/meetings.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { Failure } from '../../../workflows/failures.ts';
import { openName } from '../../identity/names.ts';
import { uncanceled } from '../../runtime/cancellation.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { changeMeeting, type RecordDeps } from '../record.ts';
import type { renderReport, ReportContent } from './report-pages.ts';

export interface ReportDeps extends RecordDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly store: ObjectStore;
  readonly heavy: { readonly renderReport: typeof renderReport };
  readonly hasDevelopmentRoots: boolean;
}

const participantsMax = 1_000;
const timelineMax = 1_000;

/**
 * Renders, stores and publishes a report. A repeated call returns the same one.
 * @throws Failure `gone` if a person in it was redacted
 */
export async function makeReport(deps: ReportDeps, reportId: string): Promise<{ sha256: string }> {
  const report = await findReport(deps.db, reportId);
  // Redacting a person in the report deletes it. A new request makes another one.
  if (!report) throw new Failure('gone', { detail: 'The content of the report was redacted' });
  if (report.status === 'available' && report.sha256) return { sha256: report.sha256 };
  const pdf = await deps.heavy.renderReport(await gather(deps, report));
  const { sha256 } = await deps.store.put({
    key: report.object_key,
    body: pdf,
    contentType: 'application/pdf',
  });
  let isWanted = false;
  await changeMeeting(deps, report.meeting_key, async ({ tx, now, move }) => {
    isWanted = await publishReport(tx, reportId, { sha256, sizeBytes: pdf.length }, now);
    if (isWanted) await move('report');
  });
  if (isWanted) return { sha256 };
  // A person in it was redacted meanwhile. A new request makes a report without their name.
  await uncanceled(() => deps.store.remove(report.object_key));
  throw new Failure('gone', { detail: 'The content of the report was redacted' });
}

async function gather(deps: ReportDeps, report: ReportRow): Promise<ReportContent> {
  const meeting = await findMeeting(deps.db, report.meeting_key);
  const meetingId = meeting && meetingIdOf(meeting);
  if (!meeting || !meetingId) throw new Error('the meeting does not exist');
  const [account, participants, events] = await Promise.all([
    findAccount(deps.db, meeting.account_id),
    participantsOf(deps, meeting),
    listStream(deps.db, [meetingStream(meeting.platform, meetingId), 0, timelineMax]),
  ]);
  const names = new Map(
    participants.map(({ participant_id, name }) => [participant_id, name ?? participant_id]),
  );
  return {
    report_id: report.report_id,
    made_at: report.created_at.toISOString(),
    livemode: !isPlayed(meeting),
    development: deps.hasDevelopmentRoots,
    account_name: account?.name ?? '',
    platform: meeting.platform,
    meeting_id: meetingId,
    link_uuid: meeting.link_uuid,
    topic: meeting.topic,
    organization: meeting.organization,
    status: meeting.status,
    end_reason: meeting.end_reason,
    scheduled_at: iso(meeting.scheduled_at),
    started_at: iso(meeting.started_at),
    ended_at: iso(meeting.ended_at),
    tracking: meeting.tracking,
    participants,
    timeline: events.map((event) => ({
      at: event.created_at.toISOString(),
      event: event.type,
      participant: names.get(participantIn(event) ?? '') ?? null,
      state: stateIn(event),
    })),
  };
}

async function participantsOf({ db, sealer }: ReportDeps, { meeting_key }: MeetingRow) {
  const rows = await listParticipants(db, meeting_key, participantsMax);
  return Promise.all(
    rows.map(async (row) => ({
      participant_id: row.participant_id,
      name: await openName(
        sealer,
        row.account_id,
        { participant_id: row.participant_id },
        row.display_name_sealed,
      ),
      role: row.role,
      verification: row.verification,
      attestation: row.attestation,
      link_session_id: row.link_session_id,
      joined_at: iso(row.joined_at),
      left_at: iso(row.left_at),
    })),
  );
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
