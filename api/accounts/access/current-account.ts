import { Failure } from '../../../workflows/failures.ts';

/**
 * Returns the account a caller acts in.
 * @throws Failure `not_found` for a session without one
 */
export function currentAccountOf({ accountId }: { readonly accountId: number | null }): number {
  if (accountId === null) throw new Failure('not_found');
  return accountId;
}
