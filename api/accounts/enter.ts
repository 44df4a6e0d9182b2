import { findAccount } from '../../db/queries/accounts.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Caller } from '../auth/caller.ts';
import type { Deps } from '../deps.ts';

interface Entering {
  readonly caller: Extract<Caller, { kind: 'session' | 'api-key' }>;
  readonly authorize: (accountId: number) => void;
}

/**
 * Lets a caller into an account that nothing but its number names. A POLYADMIN may enter any, so
 * that for them it is asked whether there is such an account: else an unknown one would look like
 * one that has nothing (domain §6).
 * @throws `not_found`, `role_required` as `authorize` does
 */
export async function enterAccount(
  { db }: Pick<Deps, 'db'>,
  { caller, authorize }: Entering,
  accountId: number,
): Promise<void> {
  authorize(accountId);
  if (caller.accountId === accountId) return;
  if (!(await findAccount(db, accountId))) throw new Failure('not_found');
}
