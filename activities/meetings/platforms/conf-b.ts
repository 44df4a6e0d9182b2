import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { derivedId } from '../../../db/ids.ts';
import { bytesOfBase64url } from '../../../domain/tokens/canonical-base64url.ts';
import type { Conference, ConferenceEvent } from './conference.ts';

const itemsMax = 1_000;
const participantsMax = 500;
const meetingKeyForm = /^mt_[0-9a-z]{26}$/;

/**
 * Returns the `clientState` of a subscription to notifications of a meeting. Each notification
 * carries it. It names the meeting and proves that we wrote it. The platform allows 128 characters.
 */
export function clientStateOf(secret: Uint8Array, meetingKey: string): string {
  return `${meetingKey}.${proofOf(secret, meetingKey).toString('base64url')}`;
}

/** Returns the meeting key in a `clientState`, or null if we have not written it. */
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
  /** The notification without its `clientState`, which is a secret. */
  readonly body: unknown;
}

const batch = z.object({ value: z.array(z.record(z.string(), z.unknown())).max(itemsMax) });

/**
 * Reads the notifications of our meetings from a batch. A repeated notification has the same event
 * id. Silently ignores any with an unknown `clientState`. Returns null if the body is not a batch.
 * @param secrets accepted secrets
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

/** Returns the notification's id, or else a digest of its content. */
function nameOf(item: Readonly<Record<string, unknown>>): string {
  const { id } = item;
  if (typeof id === 'string' && id !== '') return id;
  return createHash('sha256').update(JSON.stringify(item)).digest('hex');
}

/** Reads the platform's events. Opening a conference on it is not supported yet. */
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
    // The platform's documentation has two spellings of each list. Joins are applied before leaves.
    return [
      ...peopleIn(data, ['activeParticipants@joined', 'activeParticipants@delta'], 'joined', at),
      ...peopleIn(data, ['activeParticipants@exited', 'activeParticipants@remove'], 'left', at),
    ];
  },
};

/** Reads a message to the bot, by the last part of its name, which may be in any case. */
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
    // The same id as in notifications, if the platform sends it.
    const externalId = text(member(user, 'aadObjectId')) ?? text(member(user, 'id'));
    return externalId === null ? [] : [passage(isJoin ? 'joined' : 'left', at, externalId, user)];
  });
}

/** Returns an event for a person who joined or left, with the name if the platform sends it. */
function passage(
  kind: 'joined' | 'left',
  at: Date | null,
  externalId: string,
  user: unknown,
): ConferenceEvent {
  const displayName = text(member(user, 'displayName')) ?? text(member(user, 'name'));
  const name = displayName?.trim().slice(0, 120);
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

/** Returns a member of an object by its name in any case, since the platform uses both. */
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
