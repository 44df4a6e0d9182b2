import { holderOf, tellAccounts } from '../../activities/identity/adopt.ts';
import { lockAddress, unlessMoved } from '../../activities/identity/lock-address.ts';
import { transaction, type Tx } from '../../db/client.ts';
import {
  countLogins,
  findListedLoginEmail,
  findLoginEmailById,
  revokeLoginEmail,
} from '../../db/queries/login-emails.ts';
import { moveOf } from '../../domain/identity/transitions.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { forgetPerson } from '../http/auth/credentials/session.ts';
import { handler, type Input } from '../http/contract.ts';
import { emailContracts } from './contract.ts';
import { presentLoginEmail } from './present.ts';

type RevokeDeps = Pick<Deps, 'db' | 'sealer' | 'ids'>;

/** Revokes a login email and the sessions that it opened. */
export const revoke = handler(emailContracts.revoke)(async (input, deps: RevokeDeps) => {
  const { identity_id: identityId } = input.path;
  const { polyUserId } = input.caller;
  const seen = await findLoginEmailById(deps.db, identityId);
  if (!seen) throw new Failure('not_found');
  await unlessMoved(() =>
    transaction(deps.db, (tx) => revokeOwnAddress(tx, deps, seen.email_blind, input)),
  );
  forgetPerson(polyUserId);
  const row = await findListedLoginEmail(deps.db, polyUserId, identityId);
  if (!row) throw new Failure('not_found');
  return { status: 200, body: await presentLoginEmail(deps, row) };
});

async function revokeOwnAddress(
  tx: Tx,
  { ids }: RevokeDeps,
  blind: Buffer,
  { caller: { polyUserId }, call }: Input<typeof emailContracts.revoke>,
): Promise<void> {
  const { email, owner, caller } = await lockAddress(tx, blind, polyUserId);
  if (!email || !owner || !caller) throw new Failure('not_found');
  const isLastLogin =
    owner.kind === 'email' &&
    !owner.adopted_by &&
    email.status === 'ACTIVE' &&
    (await countLogins(tx, owner.poly_user_id)) <= 1;
  const move = moveOf({ on: 'revoke_email', holder: holderOf(owner, caller), isLastLogin });
  if (move === 'refuse_last') throw new Failure('last_login_email');
  if (move !== 'revoke') throw new Failure('not_found');
  if (email.status === 'REVOKED') return;
  await revokeLoginEmail(tx, email.identity_id, call.now);
  await tellAccounts(tx, { ids, now: call.now }, polyUserId, 'identity.email_revoked', {
    identity_id: email.identity_id,
    poly_user_id: owner.poly_user_id,
  });
}
