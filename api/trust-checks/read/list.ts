import type { z } from 'zod';
import { condition, listFiltered, type Condition } from '../../../db/queries/filtered-list.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import { Failure } from '../../../workflows/failures.ts';
import { enterAccount } from '../../accounts/access/enter.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { commonConditions, filterDigest, orderOf } from '../../http/fields/list-filters.ts';
import { limitAndOffset, pageOf, readCursor, writeCursor } from '../../http/fields/paging.ts';
import { metadataCondition } from '../../links/read/filter.ts';
import { trustCheckContracts } from '../contract.ts';
import { presentSession } from '../present.ts';
import type { listQuery } from '../schemas/schemas.ts';

type Filters = Omit<z.output<typeof listQuery>, 'page' | 'page_size' | 'cursor' | 'account_id'>;

/** Returns the sessions of an account, newest first by default. */
export const list = handler(trustCheckContracts.list)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const { cursor: text, page: asked, page_size, account_id, ...filters } = input.query;
  const accountId = account_id ?? input.caller.accountId;
  if (accountId === null) throw new Failure('not_found');
  const reach = await enterAccount(deps, input, accountId);
  const filter = filterDigest([accountId, filters]);
  const cursor = text === undefined ? null : readCursor(text, filter);
  const page = cursor?.page ?? asked;
  const [limit, offset] = limitAndOffset({ page, page_size });
  const { rows, total } = await listFiltered(deps.db, {
    table: 'trust_checks',
    id: 'link_session_id',
    where: conditionsOf(deps.sealer, accountId, filters),
    reach,
    order: orderOf(filters.sort),
    // Reads one more row than the page, to see whether another page follows.
    limit: limit + 1,
    from: cursor ?? { offset },
  });
  const shown = rows.slice(0, limit);
  const items = await Promise.all(shown.map((row) => presentSession(deps, row, input.caller)));
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last
    ? writeCursor({ at: last.created_at, id: last.link_session_id, page: page + 1, filter })
    : null;
  return { status: 200, body: { ...pageOf(items, total, { page, page_size }), next_cursor } };
});

function conditionsOf(sealer: Sealer, accountId: number, filters: Filters): Condition[] {
  const { app_id, link_uuid, status, link_type, metadata } = filters;
  return [
    condition('account_id = $?', accountId),
    ...(app_id === undefined ? [] : [condition('app_id = $?', app_id)]),
    ...(link_uuid === undefined ? [] : [condition('link_uuid = $?', link_uuid)]),
    ...(status === undefined ? [] : [condition('status = $?', status)]),
    ...(link_type === undefined ? [] : [condition("asked->>'link_type' = $?", link_type)]),
    ...(metadata
      ? [ofLinkCondition(accountId, metadataCondition(sealer, accountId, metadata))]
      : []),
    ...commonConditions(sealer, accountId, filters),
  ];
}

const ofLinkCondition = (accountId: number, { text, values }: Condition): Condition =>
  condition(
    `link_uuid IN (SELECT link_uuid FROM listed_links WHERE account_id = $? AND ${text})`,
    accountId,
    ...values,
  );
