import { joinTokenLifeMs, mintJoinToken } from '../../../activities/tokens/join-token.ts';
import type { JoinSessionRow } from '../../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { meetingIdOf, meetingStream } from '../../../db/queries/meeting-event.ts';
import { findNewestMeeting } from '../../../db/queries/meetings.ts';
import { isMeetingOver } from '../../../workflows/meeting/state.ts';
import type { Deps } from '../../deps.ts';
import { findStandingOrThrow } from '../../meetings/join-state.ts';
import { joinUrlOf } from '../../meetings/present.ts';

/** Returns a join session for its holder, with their join token. */
export async function presentJoin(
  deps: Pick<Deps, 'db' | 'keys' | 'sealer' | 'settings'>,
  session: JoinSessionRow,
  link: LinkRow,
  now: Date,
  nonce?: string,
) {
  const { baseUrl } = deps.settings;
  const {
    state: status,
    isLetIn,
    participant_id: known,
  } = await findStandingOrThrow(deps, session, now);
  const newest = await findNewestMeeting(deps.db, link.link_uuid);
  const meeting = newest && !isMeetingOver(newest.status) ? newest : null;
  const meetingId = meeting && meetingIdOf(meeting);
  const token = await mintJoinToken(deps.keys.tokens, baseUrl, session, nonce);
  const endsAt =
    status === 'created'
      ? session.expires_at
      : new Date(session.created_at.getTime() + joinTokenLifeMs);
  return {
    join_session_id: session.join_session_id,
    link_uuid: session.link_uuid,
    status,
    participant_id: known ?? session.participant_id,
    platform: session.platform,
    client: session.client,
    required_proofs: link.required_proofs,
    trust_check_session_id: session.link_session_id,
    join_url: isLetIn && meeting && meetingId ? await joinUrlOf(deps, meeting) : null,
    join_token: token,
    expires_at: endsAt.toISOString(),
    socket: {
      url: baseUrl,
      token,
      room: isLetIn && meeting && meetingId ? meetingStream(meeting.platform, meetingId) : null,
    },
  };
}
