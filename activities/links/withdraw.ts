import { transaction, type Tx } from '../../db/client.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { queueMailAgain, withdrawMail } from '../../db/queries/link-invitations.ts';
import { linkEvent, type LinkRow } from '../../db/queries/link-leases.ts';
import type { NoteDeps } from './note-delivery.ts';

type Change = (tx: Tx, linkUuid: string, now: Date) => Promise<LinkRow | null>;

/**
 * Withdraws the mail of a link whose request is refused. The caller may then repeat the request
 * under another key without a second mail. Returns null if the mail is already on its way.
 */
export const withdrawInvitation = (deps: NoteDeps, linkUuid: string): Promise<LinkRow | null> =>
  changeDelivery(deps, linkUuid, withdrawMail);

/** Queues a withdrawn mail again, for a request that is repeated under the same key. */
export const queueInvitationAgain = (deps: NoteDeps, linkUuid: string): Promise<LinkRow | null> =>
  changeDelivery(deps, linkUuid, queueMailAgain);

async function changeDelivery(
  deps: NoteDeps,
  linkUuid: string,
  change: Change,
): Promise<LinkRow | null> {
  const now = deps.clock();
  return transaction(deps.db, async (tx) => {
    const link = await change(tx, linkUuid, now);
    if (!link) return null;
    const event = linkEvent(link, 'link.delivery_updated');
    const object = { ...event.object, delivery_status: link.delivery?.status };
    await appendEvents(tx, { ids: deps.ids, now }, [{ ...event, object }]);
    return link;
  });
}
