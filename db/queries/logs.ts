import { logSources, type LogSource } from '../../domain/names.ts';
import { firstOf, planned, statement, type Queryable, type Statement } from '../client.ts';
import {
  logged,
  sourcesOf,
  unnamed,
  type LoggedRow,
  type LogKey,
  type LogScope,
  type Searched,
  type Source,
} from './log-sources.ts';

/**
 * A search: a part of the texts of a meeting, whole words of title and reference of a check, a
 * whole id, or the prefixes of the words of a name.
 */
export interface LogSearch {
  /** LIKE pattern, case-insensitive. */
  readonly pattern: string;
  readonly text: string;
  /** Keyed digests that names must have, by account; null if the text cannot match a name. */
  readonly names: Digests;
  /** Keyed digests that title and reference must have, by account; null without words. */
  readonly words: Digests;
}

type Digests = ReadonlyMap<number, readonly string[] | null>;

export interface LogQuery {
  readonly scope: LogScope;
  readonly sources: readonly LogSource[];
  /** `false`: only rows in test mode. Null: rows of both modes. */
  readonly livemode: false | null;
  /** Null for all rows. */
  readonly search: LogSearch | null;
}

const unsearched =
  '$3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL AND $6::text IS NULL';
const foundIn = (source: Source | Searched): string =>
  'found' in source ? source.found : unsearched;

/**
 * Returns SQL for the first keys of one source after a position. It uses the source's index; both
 * sources have the same order.
 */
function keysOf(name: LogSource, source: Source | Searched): string {
  const { from, where, at, id } = source;
  return `SELECT '${name}' AS source, ${at} AS at, ${id} AS id
    FROM ${from}
    WHERE ${where} AND ${foundIn(source)} AND ${at} <= $7
      AND (${at} < $7 OR '${name}' > $8 OR ('${name}' = $8 AND ${id} > $9))
    ORDER BY ${at} DESC, ${id} LIMIT $10::bigint + $11::bigint`;
}

/** Limits a source to rows in test mode. */
function inTest<S extends Source | Searched>(source: S): S {
  return { ...source, where: `${source.where} AND ${source.isTest}` };
}

/** Totals maintained in `log_totals`, for an account and for each of its apps. */
const kept: Partial<Record<LogScope['kind'], string>> = {
  account: `$1::int AND ${unnamed}`,
  app: '$1::int AND app_id = $2::text',
};

interface Statements {
  readonly page: Statement<LoggedRow>;
  /** Their sum is the total. Each source has its own statement, so that they run concurrently. */
  readonly counts: readonly Statement<{ total: number }>[];
}

/** Searches are planned for their values, because the frequencies of texts differ. */
function statementsOf(
  kind: LogScope['kind'],
  names: readonly LogSource[],
  { isSearched, isTest }: { readonly isSearched: boolean; readonly isTest: boolean },
): Statements {
  const make = <Row>(label: string, text: string): Statement<Row> =>
    isSearched ? planned<Row>(label, text) : statement<Row>(label, text);
  const sources = names.flatMap((name) => {
    const source = sourcesOf[kind][name];
    if (!source) return [];
    const shown = isSearched ? source.searched : source.all;
    return [[name, isTest ? inTest(shown) : shown] as const];
  });
  const label = `logs.${kind}_${names.join('_')}${isTest ? '_in_test' : ''}`;
  const keys = sources.map(([name, source]) => `(${keysOf(name, source)})`).join(' UNION ALL ');
  const shown = names.map((name) => logged[name]).join(' UNION ALL ');
  const page = make<LoggedRow>(
    `${label}.page`,
    `SELECT * FROM (SELECT * FROM (${keys}) AS merged
       ORDER BY at DESC, source, id LIMIT $10 OFFSET $11) AS k
     CROSS JOIN LATERAL (${shown}) AS shown
     ORDER BY at DESC, source, id`,
  );
  const whose = isSearched || isTest ? undefined : kept[kind];
  const counts =
    whose === undefined
      ? sources.map(([name, source]) =>
          make<{ total: number }>(
            `logs.${kind}_${name}${isTest ? '_in_test' : ''}.count`,
            `SELECT count(*) AS total FROM ${source.from}
             WHERE ${source.where} AND ${foundIn(source)}`,
          ),
        )
      : [
          make<{ total: number }>(
            `${label}.total`,
            `SELECT coalesce(sum(entries), 0)::bigint AS total FROM log_totals
             WHERE source IN (${names.map((name) => `'${name}'`).join()})
               AND account_id = ${whose} AND ${unsearched}`,
          ),
        ];
  return { page, counts };
}

const made = new Map<string, Statements>();

function statementsFor({ scope, sources, livemode, search }: LogQuery): Statements | null {
  const names = logSources.filter((name) => sources.includes(name) && sourcesOf[scope.kind][name]);
  if (names.length === 0) return null;
  const variant = { isSearched: search !== null, isTest: livemode === false };
  const label = [scope.kind, ...names, variant.isSearched, variant.isTest].join();
  const known = made.get(label) ?? statementsOf(scope.kind, names, variant);
  made.set(label, known);
  return known;
}

function valuesOf({ scope, search }: LogQuery): unknown[] {
  const whose = whoseOf(scope);
  if (!search) return [...whose, null, null, null, null];
  const { pattern, text, names, words } = search;
  if (scope.kind === 'account' || scope.kind === 'app') {
    const patterns = words.get(scope.accountId)?.map((word) => `%${word}%`);
    return [...whose, pattern, text, names.get(scope.accountId) ?? null, patterns ?? null];
  }
  return [...whose, pattern, text, jsonOf(names), jsonOf(words)];
}

function jsonOf(digests: Digests): string {
  return JSON.stringify(Object.fromEntries([...digests].filter(([, each]) => each !== null)));
}

function whoseOf(scope: LogScope): [string | number, string | number | null] {
  switch (scope.kind) {
    case 'account':
      return [scope.accountId, null];
    case 'app':
      return [scope.accountId, scope.appId];
    case 'person':
      return [scope.polyUserId, scope.accountId];
    case 'everywhere':
      return [scope.polyUserId, null];
  }
}

const fromTheFirst = { at: 'infinity', source: '', id: '' };

/** Page of a log: after a row, or after a number of rows. */
export interface LogWindow {
  readonly limit: number;
  readonly from: LogKey | { readonly offset: number };
}

/** Returns the rows of a page, both sources in one order. */
export async function listLogged(
  on: Queryable,
  query: LogQuery,
  { limit, from }: LogWindow,
): Promise<LoggedRow[]> {
  const list = statementsFor(query);
  if (!list) return [];
  const { at, source, id } = 'at' in from ? from : fromTheFirst;
  const offset = 'offset' in from ? from.offset : 0;
  return list.page(on, [...valuesOf(query), at, source, id, limit, offset]);
}

/** Returns the total number of rows, independent of the page. */
export async function countLogs(on: Queryable, query: LogQuery): Promise<number> {
  const counts = statementsFor(query)?.counts ?? [];
  const counted = await Promise.all(counts.map((count) => count(on, valuesOf(query))));
  return counted.reduce((sum, rows) => sum + (firstOf(rows)?.total ?? 0), 0);
}

const accountsOf = statement<{ account_id: number }>(
  'logs.accounts_of',
  `SELECT account_id FROM meeting_participants WHERE poly_user_id = :polyUserId
   UNION SELECT account_id FROM trust_checks WHERE poly_user_id = :polyUserId
   ORDER BY account_id LIMIT :limit`,
);

/** Returns at most `limit` accounts whose logs contain a person. */
export async function listAccountsOf(
  on: Queryable,
  polyUserId: string,
  limit: number,
): Promise<number[]> {
  return (await accountsOf(on, { polyUserId, limit })).map(({ account_id }) => account_id);
}

const lastMet = statement<{ last_met_at: Date | null; meeting_count: number }>(
  'logs.met',
  `SELECT max(p.joined_at) AS last_met_at, count(p.participant_id)::int AS meeting_count
   FROM unnest(:polyUserIds::text[]) WITH ORDINALITY AS asked (poly_user_id, place)
     LEFT JOIN (meeting_participants p JOIN meetings m
       ON m.meeting_key = p.meeting_key AND m.livemode = :livemode
         AND (NOT m.livemode OR m.platform <> 'sandbox'))
       ON p.poly_user_id = asked.poly_user_id AND p.account_id = :accountId
         AND p.joined_at IS NOT NULL
   GROUP BY place ORDER BY place`,
);

/**
 * Returns for each of these people, in their order, the last time they joined a meeting of an
 * account in live or test mode, and how many meetings. A live meeting on the sandbox platform does
 * not count.
 */
export async function listMet(
  on: Queryable,
  { accountId, livemode }: { readonly accountId: number; readonly livemode: boolean },
  polyUserIds: readonly string[],
): Promise<{ last_met_at: Date | null; meeting_count: number }[]> {
  return lastMet(on, { accountId, polyUserIds, livemode });
}
