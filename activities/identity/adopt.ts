import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendEvents, identityStream } from '../../db/queries/events.ts';
import { adoptPolyUser, type PolyUserRow } from '../../db/queries/identities.ts';
import { listHeld, listMemberships } from '../../db/queries/memberships.ts';
import { auditAdoption } from './audit-adoption.ts';
import type { Holder } from './transitions.ts';

/** Whose a person's things are, seen from another: one identity group is one person. */
export function holderOf(owner: PolyUserRow, caller: PolyUserRow): Holder {
  if (owner.identity_group_id === caller.identity_group_id) return 'caller';
  return owner.kind === 'email' ? 'email_user' : 'cert_user';
}

/**
 * Adopts an email-only person under one with a certified device: what the first had is the
 * second's, its sessions end, and every account the second now belongs to is told
 * (`identity.merged`). Both rows are locked by the caller.
 * @throws Error when the first has been adopted meanwhile, which its lock rules out
 */
export async function adopt(
  tx: Tx,
  { ids, now }: { readonly ids: Ids; readonly now: Date },
  adopted: PolyUserRow,
  adopter: PolyUserRow,
): Promise<void> {
  const { poly_user_id: adoptedId } = adopted;
  const { poly_user_id: adopterId } = adopter;
  const before = await listHeld(tx, [adoptedId, adopterId]);
  if (!(await adoptPolyUser(tx, adoptedId, adopterId, now))) {
    throw new Error(`${adoptedId} cannot be adopted`);
  }
  await auditAdoption(tx, { adoptedId, adopterId, before }, now);
  const memberships = await listMemberships(tx, adopterId);
  const event = {
    type: 'identity.merged' as const,
    app_id: null,
    livemode: true,
    object_id: adopterId,
    object: { poly_user_id: adopterId, adopted_poly_user_id: adoptedId },
  };
  await appendEvents(
    tx,
    { ids, now },
    memberships.map(({ account_id }) => ({
      ...event,
      account_id,
      stream: identityStream(adopterId, account_id),
    })),
  );
}
