import type { z } from 'zod';
import { findAnyApp } from '../../../db/queries/apps.ts';
import { listLinks, type LinkScope, type LinkSearch } from '../../../db/queries/link-lists.ts';
import { findPlatformAccount } from '../../../db/queries/platform-accounts.ts';
import { soughtWords } from '../../../db/sealing/link-texts.ts';
import { Failure } from '../../../workflows/failures.ts';
import { enterAccount } from '../../accounts/access/enter.ts';
import { currentAccountOf } from '../../accounts/access/current-account.ts';
import type { Deps } from '../../deps.ts';
import { handler, type Input } from '../../http/contract.ts';
import { filterDigest, orderOf } from '../../http/fields/list-filters.ts';
import {
  limitAndOffset,
  pageOf,
  patternOf,
  readCursor,
  writeCursor,
} from '../../http/fields/paging.ts';
import { presentLink } from '../present.ts';
import { linkConditions } from './filter.ts';
import { linkListContracts } from './list-contracts.ts';

type ListDeps = Pick<Deps, 'db' | 'settings' | 'sealer'>;
type Common = Pick<
  Input<typeof linkListContracts.listMeetings>,
  'query' | 'caller' | 'authorizeIn' | 'call'
>;
type LinkItem = z.input<(typeof linkListContracts.list.replies)[200]['schema']>['items'][number];

/** Returns one page of the links of a scope, for callers authorized in its account. */
async function answer(deps: ListDeps, scope: LinkScope, input: Common) {
  const { query, call } = input;
  const reach = await enterAccount(deps, input, scope.accountId);
  const { cursor: text, page: asked, page_size, ...filters } = query;
  const filter = filterDigest([scope, filters]);
  const cursor = text === undefined ? null : readCursor(text, filter);
  const page = cursor?.page ?? asked;
  const [limit, offset] = limitAndOffset({ page, page_size });
  const { rows, total } = await listLinks(deps.db, scope, {
    reach,
    where: linkConditions(deps.sealer, scope.accountId, query, call.now),
    order: orderOf(query.sort),
    search: query.search ? searchOf(deps, scope, query.search) : null,
    // Reads one more row than the page, to see whether another page follows.
    limit: limit + 1,
    from: cursor ?? { offset },
  });
  const shown = rows.slice(0, limit);
  const items: LinkItem[] = await Promise.all(shown.map((row) => presentLink(deps, row, call.now)));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const next_cursor = last
    ? writeCursor({ at: last.created_at, id: last.link_uuid, page: page + 1, filter })
    : null;
  return {
    status: 200,
    body: { ...pageOf(items, total, { page, page_size }), next_cursor },
  } as const;
}

function searchOf({ sealer }: ListDeps, { accountId }: LinkScope, text: string): LinkSearch {
  return { pattern: patternOf(text), words: soughtWords(sealer, accountId, text) };
}

export const list = handler(linkListContracts.list)(async (input, deps: ListDeps) => {
  const { account_id: accountId, app_id: appId } = input.path;
  input.authorizeIn(accountId);
  const app = await findAnyApp(deps.db, appId);
  if (app?.account_id !== accountId || !input.reaches(app)) throw new Failure('not_found');
  return answer(deps, { kind: 'app', accountId, appId }, input);
});

export const listMeetings = handler(linkListContracts.listMeetings)((input, deps: ListDeps) =>
  answer(
    deps,
    { kind: 'type', accountId: currentAccountOf(input.caller), linkType: 'meeting' },
    input,
  ),
);

/** A caller of another account does not learn whether the platform account is connected. */
export const listMeetingsOfPlatform = handler(linkListContracts.listMeetingsOfPlatform)(async (
  input,
  deps: ListDeps,
) => {
  const { conf_a_account_id } = input.path;
  const accountId = await findPlatformAccount(deps.db, 'conf-a', conf_a_account_id);
  if (accountId === null) throw new Failure('not_found');
  return answer(deps, { kind: 'platform', accountId, platform: 'conf-a' }, input);
});

export const listConfB = handler(linkListContracts.listConfB)((input, deps: ListDeps) =>
  answer(
    deps,
    { kind: 'platform', accountId: currentAccountOf(input.caller), platform: 'conf-b' },
    input,
  ),
);

export const listInvites = handler(linkListContracts.listInvites)((input, deps: ListDeps) => {
  const { account_id: accountId } = input.path;
  return answer(deps, { kind: 'type', accountId, linkType: 'invite' }, input);
});
