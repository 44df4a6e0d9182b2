import { openName } from '../../activities/identity/names.ts';
import { addPerson } from '../../activities/meetings/people.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import {
  enterMeeting,
  lockJoinSession,
  type JoinSessionRow,
} from '../../db/queries/join-sessions.ts';
import { lockLink, type LinkRow } from '../../db/queries/links.ts';
import {
  findJoining,
  findParticipant,
  findPerson,
  findUnnamedHost,
  promoteParticipant,
  type ParticipantRow,
} from '../../db/queries/meeting-participants.ts';
import {
  findNewestMeeting,
  insertMeeting,
  lockMeeting,
  type MeetingRow,
} from '../../db/queries/meetings.ts';
import { hasPassedCheck, lockTrustCheck } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import type { MeetingPlatform, ParticipantRole } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import type { Deps } from '../deps.ts';
import { stateOf } from '../links/present.ts';
import { meetingOfLink, configuredPlatformOrThrow } from './platform.ts';

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
  return transaction(deps.db, async (tx) => {
    // In the order in which redaction locks them: check, meeting, join session.
    const check = coming.joining?.link_session_id;
    if (check) await lockTrustCheck(tx, check);
    const locked = await lockLink(tx, link.link_uuid);
    if (!locked || locked.status === 'deleted') throw new Failure('not_found');
    const newest = await findNewestMeeting(tx, locked.link_uuid);
    const isOn = newest !== null && !isMeetingOver(newest.status);
    checkLink(locked, await excusedOf(tx, locked, newest), coming.now);
    const meeting = isOn
      ? meetingOnPlatformOrThrow(newest, coming.platform)
      : await makeMeeting(deps, tx, locked, newest, coming);
    await lockMeeting(tx, meeting.meeting_key);
    const joining = await lockJoining(tx, coming);
    const known = await findRegistered(tx, meeting, coming);
    const participant =
      known ??
      (await addPerson(
        tx,
        deps.sealer,
        meeting,
        {
          participant_id: newIdOf(meeting, joining, coming.seed),
          role: coming.role,
          poly_user_id: coming.polyUserId,
          join_session_id: joining?.join_session_id ?? null,
          created_by: joining ? null : coming.createdBy,
          name: await nameOf(deps, joining, coming),
        },
        coming.now,
      ));
    if (!participant) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
    if (joining) await enterMeeting(tx, joining.join_session_id, meeting.meeting_key);
    return { meeting, participant };
  });
}

/** The join session as it is now: its name may have been redacted, and its check been chosen. */
async function lockJoining(tx: Tx, { joining }: Coming): Promise<JoinSessionRow | null> {
  if (!joining) return null;
  const locked = await lockJoinSession(tx, joining.join_session_id);
  if (locked?.link_session_id === joining.link_session_id) return locked;
  throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
}

/** Who comes by a join session is somebody new in each meeting, in the first whom it was told. */
function newIdOf(
  { meeting_key }: MeetingRow,
  joining: JoinSessionRow | null,
  seed: string,
): string {
  if (!joining) return derivedId('pt', seed);
  if (joining.meeting_key === null) return joining.participant_id;
  return derivedId('pt', joining.join_session_id, meeting_key);
}

async function nameOf(
  deps: EnterDeps,
  joining: JoinSessionRow | null,
  { name }: Coming,
): Promise<string | null> {
  if (!joining || name !== null) return name;
  const { account_id, join_session_id, display_name_sealed: sealed } = joining;
  return openName(deps.sealer, account_id, { join_session_id }, sealed);
}

type LinkState = ReturnType<typeof stateOf>;

/**
 * Into a meeting that is on a link leads as long as it is there, if it is not held back. A check
 * that has passed uses a link up, maybe before anybody began its first meeting.
 */
async function excusedOf(
  tx: Tx,
  { link_uuid }: LinkRow,
  newest: MeetingRow | null,
): Promise<LinkState[]> {
  if (newest) return isMeetingOver(newest.status) ? [] : ['consumed', 'expired'];
  return (await hasPassedCheck(tx, link_uuid)) ? ['consumed'] : [];
}

/**
 * Throws `link_not_active` for a link that leads nowhere now.
 * @param excused the states besides in which it does
 */
export function checkLink(link: LinkRow, excused: readonly LinkState[], now: Date): void {
  const state = stateOf(link, now);
  const leads = state === 'active' || state === 'reserved' || excused.includes(state);
  if (!leads) throw new Failure('link_not_active', { detail: `The link is ${state}` });
}

/** Throws `invalid_state` for a platform a meeting is not on. */
export function meetingOnPlatformOrThrow(
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
  const platform = configuredPlatformOrThrow(deps, coming.platform ?? planned.platform);
  // People invited by a live link must not be sent to a simulated meeting.
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
    livemode: link.livemode,
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

/** Somebody who was here before: by their join session, as a person, or as a program's host. */
async function findRegistered(
  tx: Tx,
  { meeting_key }: MeetingRow,
  { joining, polyUserId, role, seed, createdBy }: Coming,
): Promise<ParticipantRow | null> {
  if (joining) return findJoining(tx, meeting_key, joining.join_session_id);
  if (polyUserId !== null) {
    const person = await findPerson(tx, meeting_key, polyUserId);
    // Who may start the meeting may do so after they came as one of the others.
    const rises = role === 'host' && person?.role === 'participant';
    return rises ? promoteParticipant(tx, person.participant_id) : person;
  }
  const again = await findParticipant(tx, meeting_key, derivedId('pt', seed));
  return again ?? (role === 'host' ? findUnnamedHost(tx, meeting_key, createdBy) : null);
}
