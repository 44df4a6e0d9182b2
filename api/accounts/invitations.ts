import { invitationLifeMs } from '../../activities/identity/invite.ts';
import { listInvitations } from '../../db/queries/invited-people.ts';
import { rolesIn } from '../../domain/names.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { accountContracts } from './contract.ts';

/** Returns a person's open invitations. */
export const invitations = handler(accountContracts.invitations)(async (
  { caller, query, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const since = new Date(+call.now - invitationLifeMs);
  const of = caller.polyUserId;
  const { rows, total } = await listInvitations(db, of, since, limitAndOffset(query));
  const items = rows.map(({ account_id, name, roles, created_at }) => ({
    account_id,
    name,
    roles: rolesIn(roles),
    created_at: created_at.toISOString(),
    expires_at: new Date(+created_at + invitationLifeMs).toISOString(),
  }));
  return { status: 200, body: pageOf(items, total, query) };
});
