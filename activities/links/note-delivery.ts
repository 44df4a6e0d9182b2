import { transaction, type Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { setLinkDelivery } from '../../db/queries/links.ts';
import type { DeliveryState } from '../../workflows/link-invitation/state.ts';

export interface NoteDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
}

/**
 * Records the delivery state of a link's mail, with its event. A late or repeated report that does
 * not advance the state changes nothing.
 */
export async function noteDelivery(
  deps: NoteDeps,
  linkUuid: string,
  delivery: { readonly status: DeliveryState; readonly message_id?: string },
): Promise<void> {
  const now = deps.clock();
  await transaction(deps.db, async (tx) => {
    const link = await setLinkDelivery(tx, linkUuid, { ...delivery, at: now.toISOString() }, now);
    if (!link) return;
    const event = linkEvent(link, 'link.delivery_updated');
    const object = { ...event.object, delivery_status: delivery.status };
    await appendEvents(tx, { ids: deps.ids, now }, [{ ...event, object }]);
  });
}
