import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { closeTicket, listTickets, type TicketRow } from '../../db/queries/tickets.ts';
import { accountOwner, type Sealer } from '../../db/sealing/sealed.ts';
import { ticketStates } from '../../domain/names.ts';
import { printableJson } from '../command-line/printable.ts';
import { AdminFault, read, within } from './admin.ts';

/** Tickets shown at a time. After these are closed, the next ones are shown. */
const listedMax = 100;

/**
 * Returns the open or closed tickets of an account, oldest first, as JSON that is safe for a
 * terminal: anybody can write a ticket.
 */
export async function ticketsOf(
  db: Db,
  given: { readonly account: string; readonly status: string },
  sealer: Sealer,
  now: Date,
): Promise<string> {
  const status = read('--status', z.enum(ticketStates), given.status);
  const rows = await within(db, given.account, now, (tx, accountId) =>
    listTickets(tx, accountId, status, listedMax),
  );
  return printableJson(await Promise.all(rows.map((row) => presentTicket(sealer, row))));
}

async function presentTicket(sealer: Sealer, row: TicketRow) {
  const { report_sealed: sealed, account_id, ticket_id, app_id, link_uuid, ...told } = row;
  const report =
    sealed && (await sealer.open(accountOwner(account_id), `tickets|report|${ticket_id}`, sealed));
  return {
    ticket_id,
    app_id,
    link_uuid,
    status: told.status,
    severity: told.severity,
    created_by: told.created_by,
    created_at: told.created_at.toISOString(),
    report: report && (JSON.parse(report.toString()) as unknown),
  };
}

/**
 * Closes an open ticket of an account. Returns its id.
 * @throws AdminFault if there is none
 */
export function closeTicketOf(
  db: Db,
  given: { readonly account: string; readonly ticketId: string },
  now: Date,
): Promise<string> {
  return within(db, given.account, now, async (tx, accountId, note) => {
    if (!(await closeTicket(tx, accountId, given.ticketId))) {
      throw new AdminFault(`account ${accountId} has no open ticket ${given.ticketId}`);
    }
    await note({ action: 'ticket.closed', objectId: given.ticketId, details: {} });
    return given.ticketId;
  });
}
