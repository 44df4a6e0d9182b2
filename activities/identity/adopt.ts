import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendEvents, identityStream, type NewEvent } from '../../db/queries/events.ts';
import { adoptPolyUser, type PolyUserRow } from '../../db/queries/identities.ts';
import { listBelonging, listMembershipsOf } from '../../db/queries/memberships.ts';
import { inAccount, inOpenScope } from '../../db/rights/account-scope.ts';
import type { Holder } from '../../domain/identity/transitions.ts';
import type { EventType } from '../../workflows/events.ts';
import { auditAdoption } from './audit-adoption.ts';

interface EventSource {
  readonly ids: Ids;
  readonly now: Date;
}

/**
 * Returns who owns a person's addresses, as seen by the caller. One identity group is one person.
 */
export function holderOf(owner: PolyUserRow, caller: PolyUserRow): Holder {
  if (owner.identity_group_id === caller.identity_group_id) return 'caller';
  // An adopted email-only user belongs to another person, who has a device.
  return owner.kind === 'email' && !owner.adopted_by ? 'email_user' : 'cert_user';
}

/**
 * Adopts an email-only user: the adopter gets everything they have, and their sessions end. The
 * adopter has a certified device, or has proved the address for which the adopted user held a
 * place. Every account that the adopter now belongs to gets `identity.merged`. The caller has
 * locked both rows.
 * @param isPlace whether the adopted user held the place of an invited address
 * @throws Error if the user was adopted meanwhile, which the lock prevents
 */
export async function adopt(
  tx: Tx,
  deps: EventSource,
  adopted: PolyUserRow,
  adopter: PolyUserRow,
  isPlace = false,
): Promise<void> {
  const { poly_user_id: adoptedId } = adopted;
  const { poly_user_id: adopterId } = adopter;
  const before = await listMembershipsOf(tx, [adoptedId, adopterId]);
  if (!(await adoptPolyUser(tx, adoptedId, adopterId, isPlace, deps.now))) {
    throw new Error(`${adoptedId} cannot be adopted`);
  }
  await auditAdoption(tx, { adoptedId, adopterId, before }, deps.now);
  const merged = { poly_user_id: adopterId, adopted_poly_user_id: adoptedId };
  await tellAccounts(tx, deps, adopterId, 'identity.merged', merged);
}

/**
 * Appends an event about a person's identity to every account they belong to. Ids and enums only.
 */
export async function tellAccounts(
  tx: Tx,
  { ids, now }: EventSource,
  polyUserId: string,
  type: EventType,
  object: Record<string, unknown>,
): Promise<void> {
  await appendByAccount(tx, { ids, now }, await identityEvents(tx, polyUserId, type, object));
}

/**
 * Appends events of several accounts. The order by account prevents deadlocks between transactions
 * that notify the same accounts.
 */
export async function appendByAccount(
  tx: Tx,
  source: { readonly ids: Ids; readonly now: Date },
  events: readonly NewEvent[],
): Promise<void> {
  for (const event of events.toSorted((a, b) => a.account_id - b.account_id)) {
    await inAccount(event.account_id, () => appendEvents(tx, source, [event]));
  }
}

/** Returns the events that `tellAccounts` appends, for a caller that appends others with them. */
export async function identityEvents(
  tx: Tx,
  polyUserId: string,
  type: EventType,
  object: Record<string, unknown>,
): Promise<NewEvent[]> {
  // All accounts of the person, even if the caller is limited to one of them.
  const accountIds = await inOpenScope(() => listBelonging(tx, polyUserId));
  return accountIds.map((account_id) => ({
    stream: identityStream(polyUserId, account_id),
    type,
    account_id,
    app_id: null,
    livemode: true,
    object_id: polyUserId,
    object,
  }));
}
