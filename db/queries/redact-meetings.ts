import { statement, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { joinSessions } from '../schema/meetings.ts';
import { listParticipantsBy } from './meeting-participants.ts';

const { link_session_id } = joinSessions;

/**
 * Locks meetings in a fixed order and before their participants, like other writers of meetings.
 */
const lock = statement<{ meeting_key: string }>(
  'redaction.lock_meetings',
  `SELECT meeting_key FROM meetings WHERE meeting_key IN (
     SELECT meeting_key FROM meeting_participants WHERE participant_id = ANY (:ids::text[]))
   ORDER BY meeting_key FOR UPDATE`,
);
const participants = statement(
  'redaction.participants',
  `UPDATE meeting_participants SET display_name_sealed = NULL
   WHERE participant_id = ANY (:ids::text[])`,
);
const joining = prepare('redaction.join_sessions', { link_session_id }, ({ equals }) =>
  build.update(joinSessions).set({ display_name_sealed: null }).where(equals.link_session_id),
);
/** Name digests cannot be assigned to one person, so all digests of the meeting are removed. */
const meetings = statement(
  'redaction.meetings',
  `UPDATE meetings m SET names_blind = '{}',
     host_name_sealed = CASE WHEN EXISTS (
       SELECT 1 FROM meeting_participants p
       WHERE p.meeting_key = m.meeting_key AND p.participant_id = ANY (:ids::text[])
         AND p.role = 'host')
       THEN NULL ELSE host_name_sealed END,
     user_name_sealed = CASE WHEN EXISTS (
       SELECT 1 FROM meeting_participants p
       WHERE p.meeting_key = m.meeting_key AND p.participant_id = ANY (:ids::text[])
         AND p.role <> 'host')
       THEN NULL ELSE user_name_sealed END
   WHERE meeting_key = ANY (:keys)`,
);
const reports = statement<{ object_key: string }>(
  'redaction.meeting_reports',
  'DELETE FROM meeting_reports WHERE meeting_key = ANY (:keys) RETURNING object_key',
);

/**
 * Removes the names that a person had in meetings joined through a check. Returns the object keys
 * of the reports with these names, for removal. A new report is made without the name.
 */
export async function redactInMeetings(tx: Tx, linkSessionId: string): Promise<string[]> {
  // Joining through the check requires its lock, which the caller holds.
  const people = await listParticipantsBy(tx, linkSessionId);
  const ids = people.map(({ participant_id }) => participant_id);
  const locked = await lock(tx, { ids });
  const keys = locked.map(({ meeting_key }) => meeting_key);
  await meetings(tx, { keys, ids });
  await participants(tx, { ids });
  await joining(tx, { link_session_id: linkSessionId });
  const removed = await reports(tx, { keys });
  return removed.map(({ object_key }) => object_key);
}
