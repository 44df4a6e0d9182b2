import {
  calendarContext,
  calendarOwner,
  type CalendarConnectionRow,
} from '../../db/queries/calendar-connections.ts';
import type { Deps } from '../deps.ts';

/** Returns a routing address as the API shows it, without its token. */
export async function presentRoutingAddress(
  { sealer }: Pick<Deps, 'sealer'>,
  row: CalendarConnectionRow,
) {
  const { connection_id, account_id, status } = row;
  const context = calendarContext(connection_id, 'address');
  const address = await sealer.open(calendarOwner(account_id), context, row.address_sealed);
  return {
    connection_id,
    account_id,
    shared: account_id === null,
    address: address.toString(),
    status,
    connected_by: row.created_by,
    connected_at: row.connected_at.toISOString(),
    refreshed_at: row.refreshed_at?.toISOString() ?? null,
  };
}
