import { listMet } from '../../db/queries/logs.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { streamContracts } from './stream-contracts.ts';

/** Returns when people last joined a meeting of an account, and how many they joined. */
export const continuity = handler(streamContracts.continuity)(async (
  { body, caller, authorizeIn },
  { db }: Pick<Deps, 'db'>,
) => {
  const { account_id, poly_user_ids } = body;
  const reach = await enterAccount({ db }, { caller, authorizeIn }, account_id);
  const livemode = reach.livemode ?? true;
  const found = await listMet(db, { accountId: account_id, livemode }, poly_user_ids);
  const items = poly_user_ids.map((poly_user_id, place) => ({
    poly_user_id,
    last_met_at: found[place]?.last_met_at?.toISOString() ?? null,
    meeting_count: found[place]?.meeting_count ?? 0,
  }));
  return { status: 200, body: { account_id, items } };
});
