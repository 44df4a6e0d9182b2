import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendEvents, type NewEvent } from '../../db/queries/events.ts';
import { meetingEvent, participantObject } from '../../db/queries/meeting-event.ts';
import {
  countParticipants,
  leaveMeeting,
  writeParticipant,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import { lockMeeting, writeMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import type { MeetingSnapshot } from '../../workflows/meeting/messages.ts';
import { nextMeetingState, type MeetingMove } from '../../workflows/meeting/state.ts';

export interface RecordDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
}

/** A locked meeting and its changes. Each change is a new version and an event. */
export interface MeetingRecord {
  readonly tx: Tx;
  readonly now: Date;
  readonly meeting: () => MeetingRow;
  /** Moves the meeting. Returns false and changes nothing if the move is illegal. */
  readonly move: (on: MeetingMove, reason?: string) => Promise<boolean>;
  /** Writes a participant and appends the event. */
  readonly tell: (
    type: 'meeting.participant_joined' | 'meeting.participant_left' | 'meeting.participant_status',
    participant: ParticipantRow,
    previousStatus: string,
  ) => Promise<void>;
  /** Records the conference of the meeting. The meeting's event stream starts here. */
  readonly place: (where: Pick<MeetingRow, 'meeting_id' | 'join_url_sealed'>) => Promise<void>;
}

/**
 * Changes a meeting in one transaction, under its lock, with the events of each change. An illegal
 * move changes nothing, so `work` may be repeated, late or out of order.
 */
export async function changeMeeting(
  deps: RecordDeps,
  meetingKey: string,
  work: (record: MeetingRecord) => Promise<void>,
): Promise<MeetingSnapshot> {
  const lock = (tx: Tx) => lockMeeting(tx, meetingKey);
  return lockedTransaction(deps.db, lock, async (tx, locked) => {
    if (!locked) throw new Error('the meeting does not exist');
    const now = deps.clock();
    const events: NewEvent[] = [];
    const record = createRecord(tx, locked, now, events);
    await work(record);
    const { present } = await countParticipants(tx, meetingKey);
    await appendEvents(tx, { ids: deps.ids, now }, events);
    const { version, status } = record.meeting();
    return { meeting_key: meetingKey, version, status, present };
  });
}

function createRecord(tx: Tx, locked: MeetingRow, now: Date, events: NewEvent[]): MeetingRecord {
  let meeting = locked;
  const write = async (change: Partial<MeetingRow>): Promise<void> => {
    meeting = await writeMeeting(tx, { ...meeting, ...change }, now);
  };
  return {
    tx,
    now,
    meeting: () => meeting,
    async move(on, reason) {
      const before = meeting.status;
      const status = nextMeetingState(before, on);
      if (!status) return false;
      if (on === 'end') await leaveMeeting(tx, meeting.meeting_key, now);
      await write({ status, ...timesOf(on, now), ...(reason ? { end_reason: reason } : {}) });
      const type = eventOfMove[on];
      if (type) events.push(...meetingEvent(meeting, type, {}, before));
      return true;
    },
    async tell(type, participant, previousStatus) {
      const written = await writeParticipant(tx, participant);
      const { joined, verified } = await countParticipants(tx, meeting.meeting_key);
      await write({ participant_count: joined, verified_count: verified });
      const details = { participant: participantObject(written) };
      events.push(...meetingEvent(meeting, type, details, previousStatus));
    },
    async place(where) {
      await write(where);
      events.push(...meetingEvent(meeting, 'meeting.scheduled'));
    },
  };
}

const eventOfMove = {
  start: null,
  go_live: 'meeting.started',
  fail_start: 'meeting.ended',
  cancel: 'meeting.ended',
  miss: 'meeting.ended',
  end: 'meeting.ended',
  report: 'meeting.report_ready',
} as const satisfies Readonly<{ [M in MeetingMove]: NewEvent['type'] | null }>;

function timesOf(on: MeetingMove, now: Date): Partial<MeetingRow> {
  if (on === 'go_live') return { started_at: now, occurred_at: now };
  return on === 'start' || on === 'report' ? {} : { ended_at: now };
}
