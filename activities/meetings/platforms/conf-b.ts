import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { derivedId } from '../../../db/ids.ts';
import { bytesOfBase64url } from '../../../domain/tokens/canonical-base64url.ts';
import type { Conference, ConferenceEvent } from './conference.ts';

const itemsMax = 1_000;
const participantsMax = 500;
const meetingKeyForm = /^mt_[0-9a-z]{26}$/;

/**
 * What a subscription to notifications of a meeting is made with, and each of them carries: it
 * names the meeting and proves that we wrote it. Below the 128 characters there may be.
 */
export function clientStateOf(secret: Uint8Array, meetingKey: string): string {
  return `${meetingKey}.${proofOf(secret, meetingKey).toString('base64url')}`;
}

/** The meeting a `clientState` is for; null for one that we have not written. */
function meetingOf(secrets: readonly Uint8Array[], clientState: unknown): string | null {
  if (typeof clientState !== 'string') return null;
  const [meetingKey = '', proof = '', more] = clientState.split('.');
  if (!meetingKeyForm.test(meetingKey) || more !== undefined) return null;
  const given = bytesOfBase64url(proof);
  const isProven = secrets.some((secret) => {
    const expected = proofOf(secret, meetingKey);
    return given?.length === expected.length && timingSafeEqual(given, expected);
  });
  return isProven ? meetingKey : null;
}

function proofOf(secret: Uint8Array, meetingKey: string): Buffer {
  return createHmac('sha256', secret).update(`client-state|${meetingKey}`).digest();
}

export interface Notification {
  readonly event_id: string;
  readonly meeting_key: string;
  /** As it came, but for the secret it was known by. */
  readonly body: unknown;
}

const batch = z.object({ value: z.array(z.record(z.string(), z.unknown())).max(itemsMax) });

/**
 * The notifications of a batch that are for meetings of ours, each by a name that is the same when
 * it comes again. Those with another `clientState` are left out, and nobody is told. Null for what
 * is no batch.
 * @param secrets those that are accepted
 */
export function readNotifications(
  secrets: readonly Uint8Array[],
  body: unknown,
): Notification[] | null {
  const parsed = batch.safeParse(body);
  if (!parsed.success) return null;
  return parsed.data.value.flatMap(({ clientState, ...item }) => {
    const meeting_key = meetingOf(secrets, clientState);
    if (meeting_key === null) return [];
    return [{ event_id: derivedId('we', meeting_key, nameOf(item)), meeting_key, body: item }];
  });
}

/** Its own id, where it has one; else all it says. */
function nameOf(item: Readonly<Record<string, unknown>>): string {
  const { id } = item;
  if (typeof id === 'string' && id !== '') return id;
  return createHash('sha256').update(JSON.stringify(item)).digest('hex');
}

/** Reads what the platform tells; opening a place on it is not served yet. */
export const confBConference: Conference = {
  read(body) {
    if (text(member(body, 'type')) === 'event') return readMessage(body);
    const data = member(body, 'resourceData');
    const type = text(member(data, 'eventType')) ?? '';
    const at = instantOf(text(member(data, 'eventDateTime')));
    const kind = type.trim().toLowerCase().replace('microsoft.communication.', '');
    if (kind === 'callstarted') return [{ kind: 'started', at }];
    if (kind === 'callended') return [{ kind: 'ended', at }];
    if (kind !== 'callrosterupdate') return [];
    // Both spellings of its documents, come before gone.
    return [
      ...peopleIn(data, ['activeParticipants@joined', 'activeParticipants@delta'], 'joined', at),
      ...peopleIn(data, ['activeParticipants@exited', 'activeParticipants@remove'], 'left', at),
    ];
  },
};

/** A message to the bot: by the last word of its name, which is written in either case. */
function readMessage(body: unknown): ConferenceEvent[] {
  const name = (text(member(body, 'name')) ?? '').trim().toLowerCase();
  const at = instantOf(text(member(body, 'timestamp')));
  if (name.endsWith('meetingstart')) return [{ kind: 'started', at }];
  if (name.endsWith('meetingend')) return [{ kind: 'ended', at }];
  const isJoin = name.endsWith('meetingparticipantjoin');
  if (!isJoin && !name.endsWith('meetingparticipantleave')) return [];
  const members = member(member(body, 'value'), 'members');
  const listed: unknown[] = Array.isArray(members) ? members : [];
  return listed.slice(0, participantsMax).flatMap((each) => {
    const user = member(each, 'user');
    // The same as in notifications, where the platform names it.
    const externalId = text(member(user, 'aadObjectId')) ?? text(member(user, 'id'));
    return externalId === null ? [] : [passage(isJoin ? 'joined' : 'left', at, externalId, user)];
  });
}

/** Somebody who has come or gone, with their name where it is told. */
function passage(
  kind: 'joined' | 'left',
  at: Date | null,
  externalId: string,
  user: unknown,
): ConferenceEvent {
  const told = text(member(user, 'displayName')) ?? text(member(user, 'name'));
  const name = told?.trim().slice(0, 120);
  return { kind, at, participant: { externalId, ...(name ? { name } : {}) } };
}

function peopleIn(
  data: unknown,
  lists: readonly string[],
  kind: 'joined' | 'left',
  at: Date | null,
): ConferenceEvent[] {
  const people = lists.flatMap((name) => {
    const list = member(data, name);
    return Array.isArray(list) ? (list as unknown[]) : [];
  });
  return people.slice(0, participantsMax).flatMap((person) => {
    const identity = member(person, 'identity');
    const user = member(identity, 'user') ?? member(identity, 'azureCommunicationServicesUser');
    const externalId = text(member(user, 'id')) ?? text(member(person, 'id'));
    if (externalId === null) return [];
    return [passage(kind, at, externalId, user)];
  });
}

/** A member by its name in whatever case: the platform writes both. */
function member(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null) return undefined;
  const wanted = name.toLowerCase();
  const found = Object.entries(of).find(([key]) => key.toLowerCase() === wanted);
  return found?.[1] ?? undefined;
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 1024 ? value : null;

function instantOf(value: string | null): Date | null {
  const parsed = z.iso.datetime({ offset: true }).safeParse(value);
  const at = parsed.success ? new Date(parsed.data) : null;
  return at && !Number.isNaN(at.getTime()) ? at : null;
}
