import { keepEvent } from '../../activities/meetings/inbox.ts';
import type { SandboxEvent } from '../../activities/meetings/platforms/sandbox.ts';
import { derivedId } from '../../db/ids.ts';
import { findJoining, findParticipant } from '../../db/queries/meeting-participants.ts';
import type { MeetingRow } from '../../db/queries/meetings.ts';
import { Failure } from '../../workflows/failures.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import { handler, type Input } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { findLinkOrThrow } from '../links/find.ts';
import { meetingContracts } from './contract.ts';
import { enterByLink } from './enter.ts';
import { findMeetingOrThrow } from './find.ts';
import { assertJoinReady } from './join-state.ts';
import { comeIn, verifyBy, type StartDeps } from './start.ts';

type PlayInput = Input<typeof meetingContracts.play>;

/** Plays an event in the sandbox. It is stored and processed like the event of a platform. */
export const play = handler(meetingContracts.play)(async (input, deps: StartDeps) => {
  const { path, body, call, seed, caller, authorize } = input;
  const named = { platform: 'sandbox', meeting_id: path.meeting_id };
  const meeting = await findMeetingOrThrow(deps, named, authorize);
  if (isMeetingOver(meeting.status)) {
    throw new Failure('invalid_state', { detail: `The meeting is ${meeting.status}` });
  }
  const participantId =
    caller.kind === 'join-token'
      ? await comeByToken(deps, meeting, caller.joinSessionId, input)
      : await findParticipantOrThrow(deps, meeting, body);
  const event: SandboxEvent = {
    kind: body.kind,
    ...(participantId === null ? {} : { participant_id: participantId }),
    ...(body.display_name === undefined ? {} : { display_name: body.display_name }),
  };
  const event_id = derivedId('we', seed);
  await keepEvent(deps, meeting, { event_id, body: event }, call.now);
  return { status: 202, body: { event_id } };
});

/**
 * Returns the participant that an API key or session plays; null for an unknown person who joins.
 * @throws Failure `not_found`; InvalidRequest where a participant must be named
 */
async function findParticipantOrThrow(
  deps: Pick<StartDeps, 'db'>,
  { meeting_key }: MeetingRow,
  { kind, participant_id: id }: PlayInput['body'],
): Promise<string | null> {
  if (id === undefined) {
    if (kind === 'joined' || kind === 'waiting' || kind === 'ended') return null;
    const msg = 'Somebody who is there has to be named';
    throw new InvalidRequest([{ loc: ['body', 'participant_id'], msg, type: 'missing' }]);
  }
  if (!(await findParticipant(deps.db, meeting_key, id))) throw new Failure('not_found');
  return id;
}

const ownKinds: readonly PlayInput['body']['kind'][] = ['waiting', 'joined', 'left'];

/**
 * Returns the participant of a join token, who may play only for themselves. They join with it when
 * it is ready.
 * @throws Failure `role_required`
 */
async function comeByToken(
  deps: StartDeps,
  meeting: MeetingRow,
  joinSessionId: string,
  { body, seed, call }: PlayInput,
): Promise<string> {
  const link = await findLinkOrThrow(deps, meeting.link_uuid, undefined);
  const { session, check } = await assertJoinReady(deps, joinSessionId, link, call.now);
  const known = await findJoining(deps.db, meeting.meeting_key, joinSessionId);
  const ownId = known?.participant_id ?? session.participant_id;
  const isOwn = body.participant_id === undefined || body.participant_id === ownId;
  if (!isOwn || !ownKinds.includes(body.kind)) throw new Failure('role_required');
  const entered = await enterByLink(deps, link, {
    role: 'participant',
    name: null,
    polyUserId: null,
    createdBy: joinSessionId,
    joining: session,
    topic: undefined,
    organization: undefined,
    scheduledAt: undefined,
    platform: undefined,
    seed,
    now: call.now,
  });
  // The link leads to a newer meeting; the meeting of this path has ended.
  if (entered.meeting.meeting_key !== meeting.meeting_key) throw new Failure('not_found');
  await comeIn(deps, entered, seed);
  // Repeatable: an earlier try may have written only the row.
  if (check) await verifyBy(deps, entered, check);
  return entered.participant.participant_id;
}
