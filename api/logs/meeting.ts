import { listStream } from '../../db/queries/events.ts';
import { meetingIdOf, meetingStream, participantIn } from '../../db/queries/meeting-event.ts';
import type { MeetingRow } from '../../db/queries/meetings.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { findMeetingOrThrow } from '../meetings/find.ts';
import { presentMeeting } from '../meetings/present.ts';
import { meetingLogContracts } from './meeting-contract.ts';

const timelineMax = 1_000;

/** Returns one meeting with its participants and its events. */
export const meeting = handler(meetingLogContracts.meeting)(async (
  { body, authorize },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const found = await findMeetingOrThrow(deps, body, authorize);
  const [presented, timeline] = await Promise.all([
    presentMeeting(deps, found),
    timelineOf(deps, found),
  ]);
  return { status: 200, body: { ...presented, timeline } };
});

async function timelineOf({ db }: Pick<Deps, 'db'>, found: MeetingRow) {
  const stream = meetingStream(found.platform, meetingIdOf(found) ?? '');
  const events = await listStream(db, [stream, 0, timelineMax]);
  return events.map((event) => ({
    event_id: event.event_id,
    type: event.type,
    at: event.created_at.toISOString(),
    participant_id: participantIn(event),
  }));
}
