import { derivedId } from '../../../db/ids.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { addTicket } from '../../../db/queries/tickets.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { callerName } from '../../http/auth/caller.ts';
import { handler, type Input } from '../../http/contract.ts';
import { findLinkOrThrow } from '../find.ts';
import { linkVisitorContracts, type TicketBody } from './contracts.ts';

type TicketDeps = Pick<Deps, 'db' | 'sealer'>;
type Common = Pick<
  Input<typeof linkVisitorContracts.ticket>,
  'body' | 'caller' | 'call' | 'seed' | 'reaches'
>;

export const ticket = handler(linkVisitorContracts.ticket)((input, deps: TicketDeps) =>
  keep(deps, input.path.app_id, null, input),
);

export const ticketOfLink = handler(linkVisitorContracts.ticketOfLink)(async (
  input,
  deps: TicketDeps,
) => {
  const link = await findLinkOrThrow(deps, input.path.link_uuid, input.path.app_id);
  return keep(deps, link.app_id, link.link_uuid, input);
});

/** Stores a report. The same seed returns the same ticket. */
async function keep(
  { db, sealer }: TicketDeps,
  appId: string,
  linkUuid: string | null,
  { body = {}, caller, call, seed, reaches }: Common,
) {
  const app = await findApp(db, appId);
  if (!app || !reaches(app)) throw new Failure('not_found');
  const ticketId = derivedId('tkt', seed);
  const row = await addTicket(db, {
    ticket_id: ticketId,
    account_id: app.account_id,
    app_id: appId,
    link_uuid: linkUuid,
    severity: body.severity ?? 'normal',
    report_sealed: await sealer.seal(
      accountOwner(app.account_id),
      `tickets|report|${ticketId}`,
      JSON.stringify(reportOf(body)),
    ),
    created_by: caller.kind === 'anonymous' ? null : callerName(caller),
    created_at: call.now,
  });
  const { ticket_id, status, created_at } = row;
  return {
    status: 200,
    body: { ticket_id, status, created_at: created_at.toISOString() },
  } as const;
}

/** Returns the report without its severity, which has a column of its own for sorting. */
function reportOf({ severity: _severity, ...report }: NonNullable<TicketBody>) {
  return report;
}
