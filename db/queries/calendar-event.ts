import type { CalendarConnectionRow } from './calendar-connections.ts';
import type { NewEvent } from './events.ts';

/** Returns a connection as events contain it: without the connected address. */
export function calendarObject(row: CalendarConnectionRow) {
  return {
    connection_id: row.connection_id,
    account_id: row.account_id,
    intent: row.intent,
    status: row.status,
    poly_user_id: row.poly_user_id,
    connected_at: row.connected_at.toISOString(),
    disconnected_at: row.disconnected_at?.toISOString() ?? null,
    sequence: row.version,
  };
}

/**
 * Returns the event for a new state of a connection; none for a connection shared by all accounts.
 */
export function calendarEvent(row: CalendarConnectionRow, previousStatus?: string): NewEvent[] {
  if (row.account_id === null) return [];
  return [
    {
      stream: `calendar:${row.connection_id}`,
      type: `calendar.${row.status}`,
      account_id: row.account_id,
      app_id: null,
      livemode: true,
      object_id: row.connection_id,
      object: calendarObject(row),
      ...(previousStatus === undefined ? {} : { previousStatus }),
    },
  ];
}
