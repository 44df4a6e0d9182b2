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

/** Which links of an account a list is about. */
export type LinkScope =
  | { readonly kind: 'app'; readonly accountId: number; readonly appId: string }
  | { readonly kind: 'type'; readonly accountId: number; readonly linkType: LinkType }
  | { readonly kind: 'platform'; readonly accountId: number; readonly platform: string };

/** What of a list is asked for: from a row on, or past so many. */
export interface LinkWindow {
  /** A pattern as ILIKE has it, looked for in title, reference and id; null for all. */
  readonly pattern: string | null;
  readonly reach: Reach;
  /** Filters besides; with any, or oldest first, the statement is planned for its values. */
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
const columns = ['title', 'reference_id', 'link_uuid'];
/**
 * Apart from the others, so that the index serves it whatever is planned once for all; in a
 * collation that knows the case of every letter, whatever the database's own is.
 */
const found = columns.map((name) => `${name} COLLATE "pg_c_utf8" ILIKE $3`).join(' OR ');
const searched = `AND link_uuid IN (
  SELECT link_uuid FROM listed_links WHERE account_id = $1 AND (${found}))`;
/** A parameter has to be there where nothing is searched, too. */
const unsearched = 'AND $3::text IS NULL';
const order = 'ORDER BY created_at DESC, link_uuid DESC';

interface Statements {
  readonly page: ReachedStatement<LinkRow>;
  readonly after: ReachedStatement<LinkRow>;
  readonly count: ReachedStatement<{ total: number }>;
}

function statementsOf(kind: LinkScope['kind'], isSearched: boolean): Statements {
  const where = `${scopes[kind]} AND status <> 'deleted' ${isSearched ? searched : unsearched}`;
  const name = `links.${isSearched ? 'search' : 'list'}_${kind}`;
  return {
    page: inReach(
      `${name}.page`,
      (reach) => `SELECT * FROM listed_links WHERE ${where} ${reach} ${order} LIMIT $4 OFFSET $5`,
    ),
    after: inReach(
      `${name}.after`,
      (reach) => `SELECT * FROM listed_links WHERE ${where} ${reach}
         AND (created_at, link_uuid) < ($5, $6) ${order} LIMIT $4`,
    ),
    count: inReach(
      `${name}.count`,
      (reach) => `SELECT count(*)::int AS total FROM listed_links WHERE ${where} ${reach}`,
    ),
  };
}

const pairOf = (kind: LinkScope['kind']) => ({
  all: statementsOf(kind, false),
  found: statementsOf(kind, true),
});
const lists = { app: pairOf('app'), type: pairOf('type'), platform: pairOf('platform') } as const;

/** Links that were not deleted, newest first, and how many there are whatever the window. */
export async function listLinks(
  on: Queryable,
  scope: LinkScope,
  window: LinkWindow,
): Promise<{ rows: LinkRow[]; total: number }> {
  const { pattern, reach, limit, from } = window;
  if (window.where.length > 0 || window.order === 'ASC')
    return listFilteredLinks(on, scope, window);
  const list = lists[scope.kind][pattern === null ? 'all' : 'found'];
  const values = [scope.accountId, nameOf(scope), pattern];
  const page =
    'offset' in from
      ? list.page(on, [...values, limit, from.offset], reach)
      : list.after(on, [...values, limit, from.at, from.id], reach);
  return withTotal(page, list.count(on, values, reach));
}

/** The same with filters, or oldest first. */
function listFilteredLinks(on: Queryable, scope: LinkScope, window: LinkWindow) {
  const { pattern, where, reach, order, limit, from } = window;
  const texts = columns.map((name) => `${name} COLLATE "pg_c_utf8" ILIKE $?`).join(' OR ');
  const all = [
    condition(scopes[scope.kind].replaceAll(/\$\d/g, '$?'), scope.accountId, nameOf(scope)),
    condition("status <> 'deleted'"),
    ...(pattern === null ? [] : [condition(texts, pattern, pattern, pattern)]),
    ...where,
  ];
  const list = { table: 'links', id: 'link_uuid', where: all, reach, order, limit, from } as const;
  return listFiltered(on, list);
}

function nameOf(scope: LinkScope): string {
  if (scope.kind === 'app') return scope.appId;
  return scope.kind === 'type' ? scope.linkType : scope.platform;
}
