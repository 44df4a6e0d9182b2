import { Failure } from '../../../workflows/failures.ts';

/** The account a caller acts in. Throws `not_found` for a session that acts in none. */
export function currentAccountOf({ accountId }: { readonly accountId: number | null }): number {
  if (accountId === null) throw new Failure('not_found');
  return accountId;
}
