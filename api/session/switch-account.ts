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
 * Continues a session in another account, with the same assurance and expiry. A session of a
 * sign-in provider stays in the provider's account, with the roles of its groups. A session opened
 * for an app stays in the app's account.
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
