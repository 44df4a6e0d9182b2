import { joinUrlContext, openName } from '../../activities/identity/names.ts';
import { snapshot } from '../../db/client.ts';
import { meetingIdOf, meetingObject, participantObject } from '../../db/queries/meeting-event.ts';
import { listParticipants, type ParticipantRow } from '../../db/queries/meeting-participants.ts';
import { findMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

const participantsMax = 1_000;

type PresentDeps = Pick<Deps, 'db' | 'sealer'>;

/**
 * Returns a meeting as members of its account see it, with its participants. Reads both in one
 * snapshot, so that the counts match the participants.
 */
export async function presentMeeting(deps: PresentDeps, { meeting_key: key }: MeetingRow) {
  const [meeting, rows] = await snapshot(deps.db, (tx) =>
    Promise.all([findMeeting(tx, key), listParticipants(tx, key, participantsMax)]),
  );
  if (!meeting) throw new Failure('not_found');
  const participants = await Promise.all(
    rows.map(async (row) => ({
      ...participantObject(row),
      display_name: await displayNameOf(deps, row),
    })),
  );
  return {
    ...meetingObject(meeting),
    meeting_id: meetingIdOf(meeting) ?? '',
    topic: meeting.topic,
    organization: meeting.organization,
    participants,
  };
}

/** Returns the participants who are in a meeting now, as anyone with its link may see them. */
export async function presentPresent(deps: PresentDeps, meetingKey: string) {
  const rows = await listParticipants(deps.db, meetingKey, participantsMax);
  return Promise.all(
    rows
      .filter(({ status }) => status === 'joined')
      .map(async (row) => ({
        display_name: await displayNameOf(deps, row),
        role: row.role,
        status: row.status,
        verification: row.verification,
        attestation: row.attestation,
      })),
  );
}

function displayNameOf({ sealer }: PresentDeps, row: ParticipantRow): Promise<string | null> {
  const { account_id, participant_id, display_name_sealed } = row;
  return openName(sealer, account_id, { participant_id }, display_name_sealed);
}

/**
 * Returns where people join: the platform's address, or the list of participants in the sandbox.
 */
export async function joinUrlOf(
  { sealer, settings }: Pick<Deps, 'sealer' | 'settings'>,
  meeting: MeetingRow,
): Promise<string> {
  const { meeting_key, join_url_sealed: sealed } = meeting;
  if (!sealed) return `${settings.baseUrl}/v2/meeting-by-link/${meeting.link_uuid}`;
  const owner = accountOwner(meeting.account_id);
  return (await sealer.open(owner, joinUrlContext(meeting_key), sealed)).toString();
}
