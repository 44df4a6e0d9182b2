import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import {
  activateLoginEmail,
  addLoginEmail,
  type LoginEmailRow,
} from '../../db/queries/login-emails.ts';
import { moveOf } from '../../domain/identity/transitions.ts';
import { Failure } from '../../workflows/failures.ts';
import { adopt, holderOf, tellAccounts } from './adopt.ts';
import { lockAddress, type LockedAddress } from './lock-address.ts';

export interface Attached {
  readonly email: LoginEmailRow;
  /** The email-only user who was adopted with the address. */
  readonly mergedPolyUserId: string | null;
}

/**
 * Attaches an address that the caller has just proved. It is new, refreshed, or
 * taken over together with its email-only user. Every account of the caller gets
 * `identity.email_linked`.
 * @throws Failure `identity_owned` if another person with a certificate has the address, or it is
 *   reserved for its owner
 * @throws Failure `dependency_unavailable` if another transaction adds it at the same time
 */
export async function attachAddress(
  tx: Tx,
  deps: { readonly ids: Ids; readonly now: Date },
  address: { readonly blind: Buffer; readonly sealed: Buffer },
  callerId: string,
): Promise<Attached> {
  const locked = await lockAddress(tx, address.blind, callerId);
  const attached = await attachLocked(tx, deps, locked, address, callerId);
  await tellAccounts(tx, deps, callerId, 'identity.email_linked', {
    identity_id: attached.email.identity_id,
    poly_user_id: callerId,
    ...(attached.mergedPolyUserId === null
      ? {}
      : { merged_poly_user_id: attached.mergedPolyUserId }),
  });
  return attached;
}

async function attachLocked(
  tx: Tx,
  deps: { readonly ids: Ids; readonly now: Date },
  { email, owner, caller }: LockedAddress,
  { blind, sealed }: { readonly blind: Buffer; readonly sealed: Buffer },
  callerId: string,
): Promise<Attached> {
  const { now } = deps;
  if (!caller) throw new Failure('credential_invalid');
  const holder = owner ? holderOf(owner, caller) : 'nobody';
  const move = moveOf({ on: 'verify_email', holder, status: email?.status ?? null });
  if (move === 'create') {
    const made = await addLoginEmail(tx, { polyUserId: callerId, sealed, blind, verifiedAt: now });
    if (!made) throw new Failure('dependency_unavailable', { retryAfterSeconds: 1 });
    return { email: made, mergedPolyUserId: null };
  }
  if (!email || !owner || (move !== 'activate' && move !== 'adopt')) {
    throw new Failure('identity_owned');
  }
  if (move === 'adopt') await adopt(tx, deps, owner, caller);
  const active = await activateLoginEmail(tx, email.identity_id, now);
  return { email: active, mergedPolyUserId: move === 'adopt' ? owner.poly_user_id : null };
}
