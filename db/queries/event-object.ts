import { apiVersion } from '../../workflows/events.ts';
import type { EventRow } from './events.ts';

/** An event as sockets, webhooks and the pull feed carry it: one body on all three. */
export function eventObject(row: EventRow) {
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
    data: row.data,
    previous: row.previous ?? null,
  };
}
