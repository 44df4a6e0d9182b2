import { apiVersion } from '../../workflows/events.ts';
import { openLinkText } from '../sealing/link-texts.ts';
import type { Sealer } from '../sealing/sealed.ts';
import type { EventRow } from './events.ts';

/** An event as sockets, webhooks and the pull feed send it: the same body on all three. */
export type EventObject = Awaited<ReturnType<typeof eventObject>>;

/**
 * Returns the API form of an event, with its reference opened. Each delivery has the same content.
 */
export async function eventObject(sealer: Pick<Sealer, 'open'>, row: EventRow) {
  return {
    event_id: row.event_id,
    type: row.type,
    api_version: apiVersion,
    created_at: row.created_at.toISOString(),
    account_id: row.account_id,
    app_id: row.app_id,
    livemode: row.livemode,
    stream: row.stream,
    sequence: row.seq,
    object_id: row.object_id,
    data: await openData(sealer, row),
    previous: row.previous ?? null,
  };
}

async function openData(
  sealer: Pick<Sealer, 'open'>,
  { account_id, data, reference_sealed }: EventRow,
): Promise<EventRow['data']> {
  const { link_uuid } = data.object;
  if (!reference_sealed || typeof link_uuid !== 'string') return data;
  const link = { account_id, link_uuid };
  const reference_id = await openLinkText(sealer, link, 'reference', reference_sealed);
  return { ...data, object: { ...data.object, reference_id } };
}
