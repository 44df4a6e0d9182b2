import { listRecoveries } from '../../db/queries/recoveries.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { limitAndOffset, pageOf } from '../http/fields/paging.ts';
import { recoveryContracts } from './contract.ts';
import { presentRecovery } from './present.ts';

export const list = handler(recoveryContracts.list)(async (
  { path, query, caller, authorizeIn, call },
  { db }: Pick<Deps, 'db'>,
) => {
  const { account_id: accountId, poly_user_id: polyUserId } = path;
  await enterAccount({ db }, { caller, authorizeIn }, accountId);
  const { rows, total } = await listRecoveries(db, accountId, polyUserId, limitAndOffset(query));
  const items = await Promise.all(rows.map((row) => presentRecovery(db, row, call.now)));
  return { status: 200, body: pageOf(items, total, query) };
});
