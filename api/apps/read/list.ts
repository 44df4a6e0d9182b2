import { fullReach } from '../../../db/client.ts';
import { listApps } from '../../../db/queries/apps.ts';
import { listMemberships } from '../../../db/queries/memberships.ts';
import type { Deps } from '../../deps.ts';
import { unlimitedPersonOf } from '../../http/auth/session-scope.ts';
import { handler, type Input } from '../../http/contract.ts';
import { limitAndOffset, pageOf } from '../../http/fields/paging.ts';
import { appContracts } from '../contract.ts';
import { presentApplication } from '../present.ts';

type Lister = Input<typeof appContracts.list>['caller'];

/** Returns the apps of a person's accounts, or of the one account of a key or a limited session. */
export const list = handler(appContracts.list)(async (
  { caller, query, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  const accountIds = await accountsOf(db, caller);
  const reach = caller.kind === 'api-key' ? authorizeIn(caller.accountId) : fullReach;
  const { rows, total } = await listApps(db, accountIds, reach, limitAndOffset(query));
  return { status: 200, body: pageOf(rows.map(presentApplication), total, query) };
});

async function accountsOf(db: Deps['db'], caller: Lister): Promise<number[]> {
  const person = unlimitedPersonOf(caller);
  if (person === null) return caller.accountId === null ? [] : [caller.accountId];
  return (await listMemberships(db, person)).map(({ account_id }) => account_id);
}
