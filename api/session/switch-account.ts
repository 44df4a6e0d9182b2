import { remintSession } from '../../activities/tokens/open-session.ts';
import { listMemberships } from '../../db/queries/memberships.ts';
import { noteAccount } from '../../db/queries/sessions.ts';
import { moveOf } from '../../domain/identity/transitions.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { presentSession } from '../sign-in/answer.ts';
import { membershipsFor } from '../sign-in/memberships-for.ts';
import { sessionContracts } from './contract.ts';

/**
 * Goes on with a session in another account, by email and cert alike, and never for longer. One
 * that came by a sign-in provider stays in the account of that provider, with the roles its groups
 * have left it; one that was opened for an app stays in the app's account.
 */
export const switchAccount = handler(sessionContracts.switchAccount)(async (
  { body, caller, call },
  { db, keys, ids, settings }: Pick<Deps, 'db' | 'keys' | 'ids' | 'settings'>,
) => {
  const all = await listMemberships(db, caller.polyUserId, caller.provider);
  const memberships = membershipsFor(caller, all);
  const chosen = memberships.find(({ account_id }) => account_id === body.account_id);
  const move = moveOf({ on: 'switch_account', isMember: chosen !== undefined });
  if (!chosen || move !== 'remint') throw new Failure('membership_required');
  const { sid } = caller;
  if (!(await noteAccount(db, sid, chosen.account_id))) throw new Failure('credential_invalid');
  const token = await remintSession(
    { tokens: keys.tokens, issuer: settings.baseUrl, ids },
    caller,
    { accountId: chosen.account_id, roles: chosen.roles },
    call.now,
  );
  const { expiresAt, authMethod, polyUserId } = caller;
  return {
    status: 200,
    body: presentSession({ token, expiresAt, authMethod, polyUserId, chosen, memberships }),
  };
});
