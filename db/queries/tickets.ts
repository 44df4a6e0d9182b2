import { firstOf, statement, type Queryable } from '../client.ts';
import type { tickets } from '../schema/tickets.ts';

export type TicketRow = typeof tickets.$inferSelect;

const insert = statement<TicketRow>(
  'tickets.insert',
  `INSERT INTO tickets (ticket_id, account_id, app_id, link_uuid, status, severity, report_sealed,
     created_by, created_at)
   VALUES ($1, $2, $3, $4, 'open', $5, $6, $7, $8)
   ON CONFLICT (ticket_id) DO UPDATE SET ticket_id = excluded.ticket_id RETURNING *`,
);

const list = statement<TicketRow>(
  'tickets.list',
  `SELECT * FROM tickets WHERE account_id = $1 AND status = $2
   ORDER BY created_at, ticket_id LIMIT $3`,
);
const close = statement<Pick<TicketRow, 'ticket_id'>>(
  'tickets.close',
  `UPDATE tickets SET status = 'closed' WHERE ticket_id = $1 AND account_id = $2
     AND status = 'open' RETURNING ticket_id`,
);

/** Tickets of an account in a state, the oldest first. */
export function listTickets(
  on: Queryable,
  accountId: number,
  status: TicketRow['status'],
  limit: number,
): Promise<TicketRow[]> {
  return list(on, [accountId, status, limit]);
}

/** Closes an open ticket of an account; false where there is none. */
export async function closeTicket(
  on: Queryable,
  accountId: number,
  ticketId: string,
): Promise<boolean> {
  return firstOf(await close(on, [ticketId, accountId])) !== null;
}

/** Keeps a ticket; one that is there already (a request that is run again) is given as it is. */
export async function addTicket(
  on: Queryable,
  ticket: Omit<TicketRow, 'status'>,
): Promise<TicketRow> {
  const row = firstOf(
    await insert(on, [
      ticket.ticket_id,
      ticket.account_id,
      ticket.app_id,
      ticket.link_uuid,
      ticket.severity,
      ticket.report_sealed,
      ticket.created_by,
      ticket.created_at,
    ]),
  );
  if (!row) throw new Error('a ticket was neither made nor found');
  return row;
}
