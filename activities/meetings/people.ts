import type { Tx } from '../../db/client.ts';
import {
  insertParticipant,
  type NewParticipant,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import { addMeetingName, type MeetingRow } from '../../db/queries/meetings.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { nameContext, nameDigests, type NamePlace } from '../identity/names.ts';

export type Newcomer = Pick<ParticipantRow, 'participant_id' | 'role'> &
  Partial<
    Pick<ParticipantRow, 'poly_user_id' | 'join_session_id' | 'external_blind' | 'created_by'>
  > & {
    readonly name: string | null;
  };

/**
 * Adds an unverified participant to a meeting, with a sealed and searchable name. Returns null if
 * the person is in the meeting already. Prepare the account's data key before the transaction.
 */
export async function addPerson(
  tx: Tx,
  sealer: Sealer,
  meeting: MeetingRow,
  newcomer: Newcomer,
  now: Date,
): Promise<ParticipantRow | null> {
  const { participant_id, role, name } = newcomer;
  const { meeting_key, account_id } = meeting;
  const seal = async (place: NamePlace): Promise<Buffer | null> =>
    name === null ? null : sealer.seal(accountOwner(account_id), nameContext(place), name);
  const row: NewParticipant = {
    participant_id,
    meeting_key,
    account_id,
    poly_user_id: newcomer.poly_user_id ?? null,
    role,
    display_name_sealed: await seal({ participant_id }),
    status: 'invited',
    verification: 'unverified',
    attestation: null,
    join_session_id: newcomer.join_session_id ?? null,
    link_session_id: null,
    external_blind: newcomer.external_blind ?? null,
    created_by: newcomer.created_by ?? null,
    occurred_at: meeting.occurred_at,
    created_at: now,
  };
  const added = await insertParticipant(tx, row);
  if (added && name !== null) {
    await addMeetingName(tx, meeting_key, {
      host: role === 'host' ? await seal({ meeting_key, as: 'host' }) : null,
      user: role === 'host' ? null : await seal({ meeting_key, as: 'user' }),
      digests: nameDigests(sealer, account_id, name),
    });
  }
  return added;
}
