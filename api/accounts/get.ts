import { findAccount } from '../../db/queries/accounts.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { accountContracts } from './contract.ts';
import { presentAccount } from './present.ts';

/** Returns one account to its members and keys. */
export const get = handler(accountContracts.get)(async (
  { path, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  authorizeIn(path.account_id);
  const account = await findAccount(db, path.account_id);
  if (!account) throw new Failure('not_found');
  return { status: 200, body: presentAccount(account) };
});
