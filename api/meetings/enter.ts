import { addPerson } from '../../activities/meetings/people.ts';
import { openName } from '../../activities/meetings/names.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import type { MeetingPlatform, ParticipantRole } from '../../db/names.ts';
import { enterMeeting, type JoinSessionRow } from '../../db/queries/join-sessions.ts';
import { lockLink, type LinkRow } from '../../db/queries/links.ts';
import {
  findParticipant,
  findPerson,
  findUnnamedHost,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import { findNewestMeeting, insertMeeting, type MeetingRow } from '../../db/queries/meetings.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import type { Deps } from '../deps.ts';
import { stateOf } from '../links/present.ts';
import { meetingOfLink, mustBeConfigured } from './platform.ts';

/** Somebody who comes by a link. */
export interface Coming {
  readonly role: ParticipantRole;
  readonly name: string | null;
  readonly polyUserId: string | null;
  readonly createdBy: string;
  /** Whose join session it is that lets them in; their name is that of the session. */
  readonly joining: JoinSessionRow | null;
  readonly topic: string | undefined;
  readonly organization: string | undefined;
  readonly scheduledAt: Date | undefined;
  readonly platform: MeetingPlatform | undefined;
  readonly seed: string;
  readonly now: Date;
}

export interface Entered {
  readonly meeting: MeetingRow;
  readonly participant: ParticipantRow;
}

type EnterDeps = Pick<Deps, 'db' | 'outside' | 'sealer'>;

/**
 * Finds the meeting of a link that is on, or makes the next one, and who comes in it, in one
 * transaction under the lock of the link: of fifty who start at once one makes the meeting.
 */
export async function enterByLink(
  deps: EnterDeps,
  link: LinkRow,
  coming: Coming,
): Promise<Entered> {
  if (link.link_type !== 'meeting') {
    throw new Failure('invalid_state', { detail: `The link is for a ${link.link_type}` });
  }
  await deps.sealer.prepare(accountOwner(link.account_id));
  const name = await nameOf(deps, coming);
  return transaction(deps.db, async (tx) => {
    const locked = await lockLink(tx, link.link_uuid);
    if (!locked || locked.status === 'deleted') throw new Failure('not_found');
    const newest = await findNewestMeeting(tx, locked.link_uuid);
    const isOn = newest !== null && !isMeetingOver(newest.status);
    checkLink(locked, isOn, coming.now);
    const meeting = isOn
      ? mustBeThere(newest, coming.platform)
      : await makeMeeting(deps, tx, locked, newest, coming);
    const known = await findKnown(tx, meeting, coming);
    const participant =
      known ??
      (await addPerson(
        tx,
        deps.sealer,
        meeting,
        {
          participant_id: coming.joining?.participant_id ?? derivedId('pt', coming.seed),
          role: coming.role,
          poly_user_id: coming.polyUserId,
          join_session_id: coming.joining?.join_session_id ?? null,
          name,
        },
        coming.now,
      ));
    if (!participant) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
    if (coming.joining) {
      await enterMeeting(tx, coming.joining.join_session_id, meeting.meeting_key);
    }
    return { meeting, participant };
  });
}

async function nameOf(deps: EnterDeps, { joining, name }: Coming): Promise<string | null> {
  if (!joining || name !== null) return name;
  const { account_id, join_session_id, display_name_sealed: sealed } = joining;
  return openName(deps.sealer, account_id, { join_session_id }, sealed);
}

/** Into a meeting that is on a link leads as long as it is there, if it is not held back. */
export function checkLink(link: LinkRow, isOn: boolean, now: Date): void {
  const state = stateOf(link, now);
  const leads = state === 'active' || state === 'reserved' || (isOn && state === 'consumed');
  if (!leads) throw new Failure('link_not_active', { detail: `The link is ${state}` });
}

/** Throws `invalid_state` for a platform a meeting is not on. */
export function mustBeThere(
  meeting: MeetingRow,
  platform: MeetingPlatform | undefined,
): MeetingRow {
  if (platform === undefined || platform === meeting.platform) return meeting;
  throw new Failure('invalid_state', { detail: `The meeting is on ${meeting.platform}` });
}

async function makeMeeting(
  deps: EnterDeps,
  tx: Tx,
  link: LinkRow,
  newest: MeetingRow | null,
  coming: Coming,
): Promise<MeetingRow> {
  if (newest && link.single_use) throw new Failure('link_not_active');
  const planned = meetingOfLink(link);
  const platform = mustBeConfigured(deps, coming.platform ?? planned.platform);
  // Whom a live link invites is not led where meetings are played.
  if (platform === 'sandbox' && planned.platform !== platform && link.livemode) {
    throw new Failure('test_mode_required');
  }
  const occurrence = (newest?.occurrence ?? 0) + 1;
  const made = await insertMeeting(tx, {
    meeting_key: derivedId('mt', link.link_uuid, String(occurrence)),
    platform,
    meeting_id: null,
    link_uuid: link.link_uuid,
    occurrence,
    account_id: link.account_id,
    livemode: link.livemode && platform !== 'sandbox',
    topic: coming.topic ?? planned.topic,
    organization: coming.organization ?? planned.organization,
    // What a link was planned for is its first meeting.
    scheduled_at: coming.scheduledAt ?? (newest ? null : planned.scheduledAt),
    created_by: coming.createdBy,
    created_at: coming.now,
  });
  if (!made) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
  return made;
}

/** Somebody who was here before: by their join session, as a person, or as the one host. */
async function findKnown(
  tx: Tx,
  { meeting_key }: MeetingRow,
  { joining, polyUserId, role, seed }: Coming,
): Promise<ParticipantRow | null> {
  if (joining) return findParticipant(tx, meeting_key, joining.participant_id);
  if (polyUserId !== null) return findPerson(tx, meeting_key, polyUserId);
  const again = await findParticipant(tx, meeting_key, derivedId('pt', seed));
  return again ?? (role === 'host' ? findUnnamedHost(tx, meeting_key) : null);
}
