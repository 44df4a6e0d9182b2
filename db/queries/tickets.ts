import { firstOf, type Queryable } from '../client.ts';
import { build, limit, prepare } from '../prepare.ts';
import { and, eq, getTableColumns, sql } from '../schema/drizzle.ts';
import { tickets } from '../schema/tickets.ts';

export type TicketRow = typeof tickets.$inferSelect;

const { account_id, created_at, status, ticket_id } = tickets;
const insert = prepare('tickets.insert', getTableColumns(tickets), ({ by }) =>
  build
    .insert(tickets)
    .values(by)
    .onConflictDoUpdate({ target: ticket_id, set: { ticket_id: sql`excluded.ticket_id` } })
    .returning(),
);
const list = prepare('tickets.list', { account_id, status, limit }, ({ by, equals }) =>
  build
    .select()
    .from(tickets)
    .where(and(equals.account_id, equals.status))
    .orderBy(created_at, ticket_id)
    .limit(by.limit),
);
const close = prepare('tickets.close', { account_id, ticket_id }, ({ equals }) =>
  build
    .update(tickets)
    .set({ status: 'closed' })
    .where(and(equals.ticket_id, equals.account_id, eq(status, 'open')))
    .returning({ ticket_id }),
);

/** Returns the tickets of an account in a state, oldest first. */
export function listTickets(
  on: Queryable,
  accountId: number,
  status: TicketRow['status'],
  limit: number,
): Promise<TicketRow[]> {
  return list(on, { account_id: accountId, status, limit });
}

/** Closes an open ticket of an account. Returns false if there is none. */
export async function closeTicket(
  on: Queryable,
  accountId: number,
  ticketId: string,
): Promise<boolean> {
  return firstOf(await close(on, { account_id: accountId, ticket_id: ticketId })) !== null;
}

/** Stores a ticket. For a repeated request, returns the existing one. */
export async function addTicket(
  on: Queryable,
  ticket: Omit<TicketRow, 'status'>,
): Promise<TicketRow> {
  const row = firstOf(await insert(on, { ...ticket, status: 'open' }));
  if (!row) throw new Error('a ticket was neither made nor found');
  return row;
}
