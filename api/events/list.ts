import { eventObject } from '../../db/queries/event-object.ts';
import { listAccount, listOwnStream } from '../../db/queries/events.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { eventContracts } from './contract.ts';

/**
 * Returns the account's events in commit order. `after` is a position in the account's stream, or
 * in the named stream. A stream of another account is empty, like an unknown one. Reading on from
 * `next_after` neither misses nor repeats an event.
 */
export const list = handler(eventContracts.list)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { accountId } = input.caller;
  if (accountId === null) throw new Failure('not_found');
  const reach = input.authorizeIn(accountId);
  const { after, limit, stream, types } = input.query;
  const isNarrow = stream !== undefined && stream !== `account:${accountId}`;
  const bounds = [accountId, Number(after), limit + 1, types ?? []];
  const rows = isNarrow
    ? await listOwnStream(deps.db, [...bounds, stream], reach)
    : await listAccount(deps.db, bounds, reach);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = last ? (isNarrow ? last.seq : last.account_seq) : Number(after);
  return {
    status: 200,
    body: {
      items: await Promise.all(items.map((row) => eventObject(deps.sealer, row))),
      next_after: String(next),
      has_more: rows.length > limit,
    },
  };
});
