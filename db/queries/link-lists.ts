import type { LinkType } from '../../domain/names.ts';
import {
  inReach,
  withTotal,
  type Queryable,
  type Reach,
  type ReachedStatement,
} from '../client.ts';
import { condition, listFiltered, type Condition, type PageStart } from './filtered-list.ts';
import type { LinkRow } from './link-leases.ts';

/** The links of an account that a list covers. */
export type LinkScope =
  | { readonly kind: 'app'; readonly accountId: number; readonly appId: string }
  | { readonly kind: 'type'; readonly accountId: number; readonly linkType: LinkType }
  | { readonly kind: 'platform'; readonly accountId: number; readonly platform: string };

/** A search: whole words of title and reference, or a part of the id. */
export interface LinkSearch {
  /** ILIKE pattern for the id. */
  readonly pattern: string;
  /** The link must have all these digests. Null: the text has no words. */
  readonly words: readonly string[] | null;
}

/** Part of a list: filters, order and page. */
export interface LinkWindow {
  /** Null for all. */
  readonly search: LinkSearch | null;
  readonly reach: Reach;
  /** Further filters. */
  readonly where: readonly Condition[];
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
  readonly from: PageStart;
}

const scopes = {
  app: 'account_id = $1 AND app_id = $2',
  type: 'account_id = $1 AND link_type = $2',
  platform: "account_id = $1 AND link_type = 'meeting' AND meeting->>'platform' = $2",
} as const;
/** The collation handles the case of all letters, independent of the database's own collation. */
const found = 'link_uuid COLLATE "pg_c_utf8" ILIKE $? OR words_blind @> $?';
const order = 'ORDER BY created_at DESC, link_uuid DESC';

interface Statements {
  readonly page: ReachedStatement<LinkRow>;
  readonly after: ReachedStatement<LinkRow>;
  readonly count: ReachedStatement<{ total: number }>;
}

function statementsOf(kind: LinkScope['kind']): Statements {
  const where = `${scopes[kind]} AND status <> 'deleted'`;
  const name = `links.list_${kind}`;
  return {
    page: inReach(
      `${name}.page`,
      (reach) => `SELECT * FROM listed_links WHERE ${where} ${reach} ${order} LIMIT $3 OFFSET $4`,
    ),
    after: inReach(
      `${name}.after`,
      (reach) => `SELECT * FROM listed_links WHERE ${where} ${reach}
         AND (created_at, link_uuid) < ($4, $5) ${order} LIMIT $3`,
    ),
    count: inReach(
      `${name}.count`,
      (reach) => `SELECT count(*)::int AS total FROM listed_links WHERE ${where} ${reach}`,
    ),
  };
}

const lists = {
  app: statementsOf('app'),
  type: statementsOf('type'),
  platform: statementsOf('platform'),
} as const;

/**
 * Returns links that are not deleted, newest first, and the total count independent of the page.
 */
export async function listLinks(
  on: Queryable,
  scope: LinkScope,
  window: LinkWindow,
): Promise<{ rows: LinkRow[]; total: number }> {
  const { search, where, reach, limit, from } = window;
  if (search !== null || where.length > 0 || window.order === 'ASC') {
    return listFilteredLinks(on, scope, window);
  }
  const list = lists[scope.kind];
  const values = [scope.accountId, nameOf(scope)];
  const page =
    'offset' in from
      ? list.page(on, [...values, limit, from.offset], reach)
      : list.after(on, [...values, limit, from.at, from.id], reach);
  return withTotal(page, list.count(on, values, reach));
}

/**
 * Lists with a search, with filters, or oldest first. PostgreSQL plans each call for its values,
 * because word frequencies differ.
 */
function listFilteredLinks(on: Queryable, scope: LinkScope, window: LinkWindow) {
  const { search, where, reach, order, limit, from } = window;
  const all = [
    condition(scopes[scope.kind].replaceAll(/\$\d/g, '$?'), scope.accountId, nameOf(scope)),
    condition("status <> 'deleted'"),
    ...(search === null ? [] : [condition(found, search.pattern, search.words)]),
    ...where,
  ];
  const list = { table: 'links', id: 'link_uuid', where: all, reach, order, limit, from } as const;
  return listFiltered(on, list);
}

function nameOf(scope: LinkScope): string {
  if (scope.kind === 'app') return scope.appId;
  return scope.kind === 'type' ? scope.linkType : scope.platform;
}
