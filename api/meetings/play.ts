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

/** Has something happen in the sandbox: kept as the event of a platform is, and taken like one. */
export const play = handler(meetingContracts.play)(async (input, deps: StartDeps) => {
  const { path, body, call, seed, caller, authorize } = input;
  const named = { platform: 'sandbox', meeting_id: path.meeting_id };
  const meeting = await findMeetingOrThrow(deps, named, authorize);
  if (isMeetingOver(meeting.status)) {
    throw new Failure('invalid_state', { detail: `The meeting is ${meeting.status}` });
  }
  const whom =
    caller.kind === 'join-token'
      ? await comeByToken(deps, meeting, caller.joinSessionId, input)
      : await findParticipantOrThrow(deps, meeting, body);
  const event: SandboxEvent = {
    kind: body.kind,
    ...(whom === null ? {} : { participant_id: whom }),
    ...(body.display_name === undefined ? {} : { display_name: body.display_name }),
  };
  const event_id = derivedId('we', seed);
  await keepEvent(deps, meeting, { event_id, body: event }, call.now);
  return { status: 202, body: { event_id } };
});

/** Who plays for their account names somebody in the meeting, or has somebody unknown come. */
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

/** Who has a join token plays for themselves alone, and comes in by it when it is ready. */
async function comeByToken(
  deps: StartDeps,
  meeting: MeetingRow,
  joinSessionId: string,
  { body, seed, call }: PlayInput,
): Promise<string> {
  const link = await findLinkOrThrow(deps, meeting.link_uuid, undefined);
  const { session, check } = await assertJoinReady(deps, joinSessionId, link, call.now);
  const known = await findJoining(deps.db, meeting.meeting_key, joinSessionId);
  const theirs = known?.participant_id ?? session.participant_id;
  const isTheirs = body.participant_id === undefined || body.participant_id === theirs;
  if (!isTheirs || !ownKinds.includes(body.kind)) throw new Failure('role_required');
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
  // The link has led on: the meeting of this address is over.
  if (entered.meeting.meeting_key !== meeting.meeting_key) throw new Failure('not_found');
  await comeIn(deps, entered, seed);
  // Said again it is the same: the first try may have come no further than the row.
  if (check) await verifyBy(deps, entered, check);
  return entered.participant.participant_id;
}
