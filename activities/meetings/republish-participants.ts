import { listParticipantsBy } from '../../db/queries/meeting-participants.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import { changeMeeting, type RecordDeps } from './record.ts';
import { verify } from './verify.ts';

/**
 * Says anew who came into meetings by a check whose outcome is another now, as long as these are
 * on. The rows are the truth: their workflows hear of it with their next message. May be repeated.
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
