import { listParticipantsBy } from '../../db/queries/meeting-participants.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import { changeMeeting, type RecordDeps } from './record.ts';
import { verify } from './verify.ts';

/**
 * Publishes the participants that were verified by a check whose outcome has changed, in meetings
 * that are not over. The database holds the state; the workflows read it with their next message.
 * Can be repeated.
 */
export async function republishParticipants(
  deps: RecordDeps,
  linkSessionId: string,
): Promise<void> {
  for (const { meeting_key, participant_id } of await listParticipantsBy(deps.db, linkSessionId)) {
    await changeMeeting(deps, meeting_key, async (record) => {
      if (isMeetingOver(record.meeting().status)) return;
      await verify(record, { kind: 'verify', participant_id, link_session_id: linkSessionId });
    });
  }
}
