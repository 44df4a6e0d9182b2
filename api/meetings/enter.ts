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

/** A person who enters by a link. */
export interface Coming {
  readonly role: ParticipantRole;
  readonly name: string | null;
  readonly polyUserId: string | null;
  readonly createdBy: string;
  /** The join session that admits them; their name comes from it. */
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
 * Finds the live meeting of a link or creates the next one, and adds the participant. One
 * transaction does this under the lock of the link, so of fifty concurrent starts only one creates
 * the meeting.
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
    // Locks check, meeting and join session in the same order as redaction.
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

/** Reads the join session under its lock: a redaction or a new check may have changed it. */
async function lockJoining(tx: Tx, { joining }: Coming): Promise<JoinSessionRow | null> {
  if (!joining) return null;
  const locked = await lockJoinSession(tx, joining.join_session_id);
  if (locked?.link_session_id === joining.link_session_id) return locked;
  throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
}

/** A join session is a new participant in each meeting. In the first it has the id it was given. */
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
 * Returns the states in which a link admits people besides `active` and `reserved`. While its
 * meeting is live, a consumed or expired link still does. A passed check can consume the link
 * before its first meeting.
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
 * Checks that a link admits people now.
 * @param excused further states in which it does
 * @throws Failure `link_not_active`
 */
export function checkLink(link: LinkRow, excused: readonly LinkState[], now: Date): void {
  const state = stateOf(link, now);
  const leads = state === 'active' || state === 'reserved' || excused.includes(state);
  if (!leads) throw new Failure('link_not_active', { detail: `The link is ${state}` });
}

/** @throws Failure `invalid_state` if the meeting is on another platform */
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
    // The planned time of a link is that of its first meeting.
    scheduled_at: coming.scheduledAt ?? (newest ? null : planned.scheduledAt),
    created_by: coming.createdBy,
    created_at: coming.now,
  });
  if (!made) throw new Failure('idempotency_in_progress', { retryAfterSeconds: 1 });
  return made;
}

/** Returns an existing participant: by join session, by person, or as the host of an API key. */
async function findRegistered(
  tx: Tx,
  { meeting_key }: MeetingRow,
  { joining, polyUserId, role, seed, createdBy }: Coming,
): Promise<ParticipantRow | null> {
  if (joining) return findJoining(tx, meeting_key, joining.join_session_id);
  if (polyUserId !== null) {
    const person = await findPerson(tx, meeting_key, polyUserId);
    // A caller who may start the meeting becomes its host, even after entering as a participant.
    const rises = role === 'host' && person?.role === 'participant';
    return rises ? promoteParticipant(tx, person.participant_id) : person;
  }
  const again = await findParticipant(tx, meeting_key, derivedId('pt', seed));
  return again ?? (role === 'host' ? findUnnamedHost(tx, meeting_key, createdBy) : null);
}
