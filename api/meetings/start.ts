import { startOfMeeting } from '../../activities/meetings/start.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import { meetingIdOf, meetingStream } from '../../db/queries/meeting-event.ts';
import { findMeeting, markMeetingStarted, type MeetingRow } from '../../db/queries/meetings.ts';
import { Failure } from '../../workflows/failures.ts';
import {
  meetingWorkflowId,
  startUpdate,
  verifyParticipantUpdate,
} from '../../workflows/meeting/messages.ts';
import type { Deps } from '../deps.ts';
import { personIn } from '../http/auth/session-scope.ts';
import { handler, type Input } from '../http/contract.ts';
import { findLinkOrThrow } from '../links/find.ts';
import { meetingContracts } from './contract.ts';
import { enterByLink, type Entered } from './enter.ts';
import { assertJoinReady } from './join-state.ts';
import { joinUrlOf } from './present.ts';

export type StartDeps = Pick<
  Deps,
  'clock' | 'db' | 'ids' | 'outside' | 'sealer' | 'settings' | 'temporal'
>;

/**
 * Starts the meeting of a link or enters it. Writes meeting and participant, then starts the
 * workflow. All ids derive from the request, so a repeated request finds them.
 */
export const start = handler(meetingContracts.start)(async (input, deps: StartDeps) => {
  const { path, query, body, call, seed } = input;
  const link = await findLinkOrThrow(deps, path.link_uuid, query.app_id);
  input.authorize(link);
  const joining = await findJoining(deps, link, input);
  const entered = await enterByLink(deps, link, {
    role: joining ? 'participant' : (body.role ?? 'host'),
    name: body.display_name ?? null,
    polyUserId: joining ? null : personIn(input.caller, link.account_id),
    createdBy: input.caller.kind === 'session' ? input.caller.polyUserId : input.caller.keyId,
    joining: joining?.session ?? null,
    topic: body.topic,
    organization: body.organization,
    scheduledAt: body.scheduled_at,
    platform: body.platform,
    seed,
    now: call.now,
  });
  await comeIn(deps, entered, seed);
  if (joining?.check) await verifyBy(deps, entered, joining.check);
  return { status: 200, body: await present(deps, link, entered) };
});

async function findJoining(
  deps: StartDeps,
  link: LinkRow,
  input: Input<typeof meetingContracts.start>,
) {
  const { join_session_id: id } = input.body;
  return id === undefined ? null : assertJoinReady(deps, id, link, input.call.now);
}

/**
 * Signals the workflow that a participant enters, starting it if it is not running. Does nothing if
 * the meeting has its place on the platform and the participant does not begin it: the rows are
 * enough.
 */
export async function comeIn(
  deps: Pick<Deps, 'db' | 'temporal'>,
  { meeting, participant }: Entered,
  seed: string,
): Promise<void> {
  const { participant_id, role } = participant;
  const begins = role === 'host' && meeting.status !== 'live';
  if (meeting.meeting_id !== null && !meeting.awaits_start && !begins) return;
  await deps.temporal.startWithUpdate(
    'meeting',
    startOfMeeting(meeting),
    startUpdate,
    [{ participant_id, role }],
    `start/${seed}/${participant_id}`,
  );
  if (meeting.awaits_start) await markMeetingStarted(deps.db, meeting.meeting_key);
}

/** Records the check that verifies a participant. Repeatable. */
export async function verifyBy(
  deps: Pick<Deps, 'temporal'>,
  { meeting, participant }: Entered,
  linkSessionId: string,
): Promise<void> {
  const { participant_id } = participant;
  await deps.temporal.update(
    meetingWorkflowId(meeting.platform, meeting.meeting_key),
    verifyParticipantUpdate,
    [{ participant_id, link_session_id: linkSessionId }],
    `verify/${participant_id}/${linkSessionId}`,
  );
}

async function present(deps: StartDeps, link: LinkRow, { meeting: before, participant }: Entered) {
  const meeting: MeetingRow | null = await findMeeting(deps.db, before.meeting_key);
  const meetingId = meeting && meetingIdOf(meeting);
  if (!meeting || !meetingId) throw new Failure('dependency_unavailable', { retryAfterSeconds: 2 });
  const joinUrl = await joinUrlOf(deps, meeting);
  return {
    meeting_id: meetingId,
    platform: meeting.platform,
    status: meeting.status,
    host_url: participant.role === 'host' ? joinUrl : null,
    join_url: joinUrl,
    participant_id: participant.participant_id,
    required_proofs: link.required_proofs,
    socket: { url: deps.settings.baseUrl, stream: meetingStream(meeting.platform, meetingId) },
  };
}
