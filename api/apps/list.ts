import { listApps } from '../../db/queries/apps.ts';
import { listMemberships } from '../../db/queries/memberships.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { limitAndOffset, pageOf } from '../paging.ts';
import { appContracts } from './contract.ts';
import { presentApplication } from './present.ts';

/** The apps of a person's accounts, or of the account a key is pinned to. */
export const list = handler(appContracts.list)(async (
  { caller, query },
  { db }: Pick<Deps, 'db'>,
) => {
  const accountIds =
    caller.kind === 'api-key'
      ? [caller.accountId]
      : (await listMemberships(db, caller.polyUserId)).map(({ account_id }) => account_id);
  const { rows, total } = await listApps(db, accountIds, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentApplication), total, query) };
});
