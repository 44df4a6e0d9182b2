import { derivedId } from '../../db/ids.ts';
import { markJoined } from '../../db/queries/join-sessions.ts';
import {
  findExternal,
  findParticipant,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import { findMeeting } from '../../db/queries/meetings.ts';
import { takeFromInbox } from '../../db/queries/webhook-inbox.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import type { MeetingSnapshot } from '../../workflows/meeting/messages.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import { inboxContext } from './inbox.ts';
import { addPerson } from './people.ts';
import type { ConferenceEvent, Conferences } from './platforms/conference.ts';
import { changeMeeting, type MeetingRecord, type RecordDeps } from './record.ts';

type TakeDeps = RecordDeps & { readonly sealer: Sealer; readonly conferences: Conferences };

/** Records an event of the inbox once, in the transaction that takes it. */
export async function recordEvent(
  deps: TakeDeps,
  meetingKey: string,
  eventId: string,
): Promise<MeetingSnapshot> {
  const meeting = await findMeeting(deps.db, meetingKey);
  if (!meeting) throw new Error('the meeting does not exist');
  const owner = accountOwner(meeting.account_id);
  await deps.sealer.prepare(owner);
  return changeMeeting(deps, meetingKey, async (record) => {
    const row = await takeFromInbox(record.tx, eventId, record.now);
    if (!row?.body_sealed || row.meeting_key !== meetingKey) return;
    const opened = await deps.sealer.open(owner, inboxContext(eventId), row.body_sealed);
    const events = deps.conferences[row.platform]?.read(JSON.parse(opened.toString())) ?? [];
    for (const [place, event] of events.entries()) {
      await apply(deps, record, event, derivedId('pt', eventId, String(place)));
    }
  });
}

async function apply(
  deps: TakeDeps,
  record: MeetingRecord,
  event: ConferenceEvent,
  newId: string,
): Promise<void> {
  if (isMeetingOver(record.meeting().status)) return;
  if (event.kind === 'started') await record.move('go_live');
  else if (event.kind === 'ended') await end(record);
  else await move(deps, record, event, event.kind, newId);
}

/** A meeting that was never live is canceled. */
async function end(record: MeetingRecord): Promise<void> {
  if (await record.move('end', 'platform_ended')) return;
  await record.move('cancel', 'platform_ended');
}

type Step = Exclude<ConferenceEvent['kind'], 'started' | 'ended'>;

/** Valid earlier states for each step of a participant. In others the event is late or repeated. */
const steps: { readonly [step in Step]: readonly ParticipantRow['status'][] } = {
  waiting: ['invited', 'left'],
  joined: ['invited', 'waiting', 'left'],
  left: ['waiting', 'joined'],
  removed: ['waiting', 'joined'],
  denied: ['invited', 'waiting'],
};

async function move(
  deps: TakeDeps,
  record: MeetingRecord,
  event: ConferenceEvent,
  status: Step,
  newId: string,
): Promise<void> {
  const known = await find(deps, record, event);
  const isArrival = status === 'joined' || status === 'waiting';
  const participant = known ?? (isArrival ? await welcome(deps, record, event, newId) : null);
  if (!participant || !steps[status].includes(participant.status)) return;
  const at = event.at ?? record.now;
  // A person whom the platform admits without us also starts the meeting.
  if (status === 'joined') {
    await record.move('go_live');
    const { join_session_id: joining } = participant;
    if (joining !== null) await markJoined(record.tx, joining, record.now);
  }
  const isPresent = participant.status === 'joined';
  await record.tell(
    typeOf(status),
    {
      ...participant,
      status,
      joined_at: status === 'joined' ? (participant.joined_at ?? at) : participant.joined_at,
      left_at: isPresent && !isArrival ? at : isArrival ? null : participant.left_at,
    },
    participant.status,
  );
}

function typeOf(status: Step): Parameters<MeetingRecord['tell']>[0] {
  if (status === 'joined') return 'meeting.participant_joined';
  const hasLeft = status === 'left' || status === 'removed';
  return hasLeft ? 'meeting.participant_left' : 'meeting.participant_status';
}

async function find(
  deps: TakeDeps,
  { tx, meeting }: MeetingRecord,
  { participant }: ConferenceEvent,
): Promise<ParticipantRow | null> {
  const { meeting_key } = meeting();
  const { participantId, externalId } = participant ?? {};
  if (participantId !== undefined) return findParticipant(tx, meeting_key, participantId);
  if (externalId === undefined) return null;
  return findExternal(tx, meeting_key, blindOf(deps, externalId));
}

/** Adds an unknown person whom the platform admitted. An unknown id of ours is ignored. */
async function welcome(
  deps: TakeDeps,
  { tx, meeting, now }: MeetingRecord,
  { participant }: ConferenceEvent,
  newId: string,
): Promise<ParticipantRow | null> {
  if (participant?.participantId !== undefined) return null;
  const { externalId, name } = participant ?? {};
  const newcomer = {
    participant_id: newId,
    role: 'participant',
    name: name ?? null,
    external_blind: externalId === undefined ? null : blindOf(deps, externalId),
  } as const;
  return addPerson(tx, deps.sealer, meeting(), newcomer, now);
}

const blindOf = ({ sealer }: TakeDeps, externalId: string): Buffer =>
  sealer.blind('meeting-participant', externalId);
