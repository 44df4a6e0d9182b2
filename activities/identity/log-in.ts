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
 * Returns the login email of an address that was just proved, and creates an email-only user if it
 * is new. Returns null if the address is revoked. Its owner stays locked.
 * @throws Failure `dependency_unavailable` if the address moves at the same time
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
