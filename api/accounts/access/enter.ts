import type { Reach } from '../../../db/client.ts';
import { findAccount } from '../../../db/queries/accounts.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import type { Access } from '../../http/auth/authorize.ts';
import type { Caller } from '../../http/auth/caller.ts';

interface Entering extends Pick<Access, 'authorizeIn'> {
  readonly caller: Extract<Caller, { kind: 'session' | 'api-key' }>;
}

/**
 * Authorizes a caller for an account by its number, and returns which of its objects they reach. A
 * POLYADMIN may enter any account, so the account is looked up for them: an unknown account must
 * not look like an empty one.
 * @throws Failure `not_found`, `role_required` as `authorizeIn` does
 */
export async function enterAccount(
  { db }: Pick<Deps, 'db'>,
  { caller, authorizeIn }: Entering,
  accountId: number,
): Promise<Reach> {
  const reach = authorizeIn(accountId);
  if (caller.accountId === accountId) return reach;
  if (!(await findAccount(db, accountId))) throw new Failure('not_found');
  return reach;
}
