import { firstOf, transaction } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import { eventObject } from '../../db/queries/event-object.ts';
import { appendEvents, getEvent } from '../../db/queries/events.ts';
import { linkObject } from '../../db/queries/link-object.ts';
import { findLink, type LinkRow } from '../../db/queries/links.ts';
import { sessionObject } from '../../db/queries/session-object.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { EventType } from '../../workflows/events.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { familyOfEvent, type EventFamily } from '../events/payloads.ts';
import { sampleOf } from '../events/sample.ts';
import { handler } from '../http/contract.ts';
import { sandboxContracts } from './contract.ts';

type EventDeps = Pick<Deps, 'db' | 'ids' | 'sealer'>;

/**
 * Sends a sample event, delivered like a real one. It is in no object's stream, because followers
 * of a stream would take it for a real event.
 */
export const event = handler(sandboxContracts.event)(async (
  { body, caller, authorize, call, seed },
  deps: EventDeps,
) => {
  const { type, object_id: objectId } = body;
  const thing = objectId === undefined ? null : await findThing(deps, type, objectId);
  if (objectId !== undefined && !thing) throw new Failure('not_found');
  const accountId = thing?.account_id ?? caller.accountId;
  if (accountId === null) throw new Failure('not_found');
  authorize(thing ?? { account_id: accountId, app_id: null, livemode: false });
  const eventId = derivedId('evt', seed);
  const app_id = thing?.app_id ?? null;
  const sample = sampleOf(type, {
    event_id: eventId,
    account_id: accountId,
    app_id,
    created_at: call.now,
    ...(thing && { known: thing }),
  });
  const made = await transaction(deps.db, async (tx) => {
    const known = firstOf(await getEvent(tx, [eventId, accountId]));
    if (known) return known;
    const { object_id, data } = sample;
    const stream = `sandbox:${accountId}:${object_id}`;
    const envelope = { stream, type, account_id: accountId, app_id, livemode: false, object_id };
    const ids = { ...deps.ids, make: () => eventId };
    await appendEvents(tx, { ids, now: call.now }, [
      { ...envelope, object: data.object, reference_sealed: thing?.reference_sealed ?? null },
    ]);
    return firstOf(await getEvent(tx, [eventId, accountId]));
  });
  if (!made) throw new Error('the event was not appended');
  return { status: 201, body: await eventObject(deps.sealer, made) };
});

const ofSession = new Set<EventFamily>(['trust_check', 'proof', 'affidavit']);

/** Returns the object that an event of a type can be about; null for any other. */
async function findThing({ db }: EventDeps, type: EventType, id: string) {
  const family = familyOfEvent(type);
  if (family === 'link') {
    const link = await findLink(db, id);
    if (!link || link.status === 'deleted') return null;
    return { ...facts(link), id, object: linkObject(link) };
  }
  const session = ofSession.has(family) ? await findTrustCheck(db, id) : null;
  return session && { ...facts(session), id, object: sessionObject(session) };
}

const facts = (row: LinkRow | TrustCheckRow) => ({
  account_id: row.account_id,
  app_id: row.app_id,
  livemode: row.livemode,
  reference_sealed: row.reference_sealed,
});
