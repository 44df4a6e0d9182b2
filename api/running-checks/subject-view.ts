import { eventObject, type EventObject } from '../../db/queries/event-object.ts';
import type { EventRow } from '../../db/queries/events.ts';
import type { sessionObject } from '../../db/queries/session-object.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';

type Expected = Pick<ReturnType<typeof sessionObject>, 'matching' | 'decision'>;

/**
 * A session as the person who is checked sees it. What the requester expects of them stays with the
 * requester: otherwise anyone could find a date of birth by guessing.
 */
export function seenBySubject<Session extends Expected>(session: Session): Session {
  const decision = session.decision && { ...session.decision, rule: null };
  return { ...session, matching: {}, decision };
}

/** The same for an event that carries a session. */
export function eventSeenBySubject(event: EventObject): EventObject {
  const { object } = event.data;
  if (!isSession(object)) return event;
  return { ...event, data: { ...event.data, object: seenBySubject(object) } };
}

const isSession = (object: object): object is Expected & Record<string, unknown> =>
  'matching' in object && 'decision' in object;

/** An event as a caller reads it. */
export async function presentEvent(
  sealer: Deps['sealer'],
  row: EventRow,
  { kind }: Pick<Caller, 'kind'>,
): Promise<EventObject> {
  const event = await eventObject(sealer, row);
  return kind === 'check-token' ? eventSeenBySubject(event) : event;
}
