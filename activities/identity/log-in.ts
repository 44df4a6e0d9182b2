import type { Tx } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import {
  addEmailOnlyUser,
  addLoginEmail,
  noteLogin,
  type LoginEmailRow,
} from '../../db/queries/login-emails.ts';
import { Failure } from '../../workflows/failures.ts';
import { lockAddress } from './lock-address.ts';

/**
 * The login email of an address somebody has just proved to be theirs: the one there is, or that of
 * an email-only person made for it. Null where the address is revoked. Its owner stays locked.
 * Throws `dependency_unavailable` where it changes hands at this very moment.
 */
export async function logInByAddress(
  tx: Tx,
  { ids }: { readonly ids: Ids },
  address: { readonly blind: Buffer; readonly sealed: Buffer },
  now: Date,
): Promise<LoginEmailRow | null> {
  const { email } = await lockAddress(tx, address.blind, null);
  if (email?.status === 'REVOKED') return null;
  const found = email ?? (await signUp(tx, ids, address, now));
  await noteLogin(tx, found.identity_id, now);
  return found;
}

async function signUp(
  tx: Tx,
  ids: Ids,
  { blind, sealed }: { readonly blind: Buffer; readonly sealed: Buffer },
  now: Date,
): Promise<LoginEmailRow> {
  const user = { polyUserId: ids.make('pu'), groupId: ids.make('ig'), createdAt: now };
  const { poly_user_id: polyUserId } = await addEmailOnlyUser(tx, user);
  const made = await addLoginEmail(tx, { polyUserId, sealed, blind, verifiedAt: now });
  if (!made) throw new Failure('dependency_unavailable', { retryAfterSeconds: 1 });
  return made;
}
