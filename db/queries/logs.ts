import { firstOf, planned, statement, type Queryable, type Statement } from '../client.ts';
import type { MeetingRow } from './meetings.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** Where log rows come from, in the order in which rows of one instant stand. */
export const logSources = ['meeting', 'trust_check'] as const;
export type LogSource = (typeof logSources)[number];

/** Whose rows: an account's, those of one app, or a person's in one account or in all. */
export type LogScope =
  | { readonly kind: 'account'; readonly accountId: number }
  | { readonly kind: 'app'; readonly accountId: number; readonly appId: string }
  | { readonly kind: 'person'; readonly polyUserId: string; readonly accountId: number }
  | { readonly kind: 'everywhere'; readonly polyUserId: string };

/** What is looked for: a part of a text, a whole id, or the beginnings of the words of a name. */
export interface LogSearch {
  /** As ILIKE has it. */
  readonly pattern: string;
  readonly text: string;
  /** By account, the keyed digests that names must have; null where none can. */
  readonly names: ReadonlyMap<number, readonly string[] | null>;
}

/** The place of a row in the one order of both sources: newest first, then by source and id. */
export interface LogKey {
  readonly at: Date;
  readonly source: LogSource;
  readonly id: string;
}

export interface LogQuery {
  readonly scope: LogScope;
  readonly sources: readonly LogSource[];
  /** Null for everything. */
  readonly search: LogSearch | null;
}

/** Rows of one source: `at` and `id` are what an index has after the columns `where` names. */
interface Source {
  readonly from: string;
  /** Where what is searched stands. */
  readonly searchedFrom: string;
  readonly where: string;
  readonly at: string;
  readonly id: string;
  readonly found: string;
}

const like = (text: string): string => `${text} COLLATE "pg_c_utf8" ILIKE $3`;
const inMeeting = (names: string): string =>
  `(${like('m.topic')} OR ${like('m.organization')} OR m.meeting_key = $4 OR m.link_uuid = $4
    OR ${names})`;
const inCheck = (names: string): string =>
  `(${like("(t.asked->>'title')")} OR ${like('t.reference_id')}
    OR t.link_session_id = $4 OR t.link_uuid = $4 OR ${names})`;
/** Digests of one account, by its index; those of several, each in its own. */
const namesOfOne = (of: 'm' | 't'): string => `${of}.names_blind @> $5::text[]`;
const namesOfEach = (of: 'm' | 't'): string => `EXISTS (
  SELECT 1 FROM jsonb_each($5::jsonb) AS n (id, digests) WHERE n.id = ${of}.account_id::text
    AND ${of}.names_blind @> ARRAY(SELECT jsonb_array_elements_text(n.digests)))`;

const checks = (where: string, names: string): Source => ({
  from: 'trust_checks t',
  searchedFrom: 'trust_checks t',
  where,
  at: 't.created_at',
  id: 't.link_session_id',
  found: inCheck(names),
});
const meetingsOf = (where: string): Source => ({
  from: 'meeting_participants p',
  searchedFrom: 'meeting_participants p JOIN meetings m USING (meeting_key)',
  where,
  at: 'p.occurred_at',
  id: 'p.meeting_key',
  found: inMeeting(namesOfEach('m')),
});

/** A parameter has to be there where it says nothing, too. */
const unnamed = '$2::text IS NULL';
const sourcesOf: Readonly<Record<LogScope['kind'], Partial<Record<LogSource, Source>>>> = {
  account: {
    meeting: {
      from: 'meetings m',
      searchedFrom: 'meetings m',
      where: `m.account_id = $1::int AND ${unnamed}`,
      at: 'm.occurred_at',
      id: 'm.meeting_key',
      found: inMeeting(namesOfOne('m')),
    },
    trust_check: checks(`t.account_id = $1::int AND ${unnamed}`, namesOfOne('t')),
  },
  // Meetings have no app.
  app: { trust_check: checks('t.account_id = $1::int AND t.app_id = $2::text', namesOfOne('t')) },
  person: {
    meeting: meetingsOf('p.poly_user_id = $1::text AND p.account_id = $2::int'),
    trust_check: checks('t.poly_user_id = $1::text AND t.account_id = $2::int', namesOfEach('t')),
  },
  everywhere: {
    meeting: meetingsOf(`p.poly_user_id = $1::text AND ${unnamed}`),
    trust_check: checks(`t.poly_user_id = $1::text AND ${unnamed}`, namesOfEach('t')),
  },
};

const unsearched = '$3::text IS NULL AND $4::text IS NULL AND $5::text IS NULL';

/** The first of one source after a place, by its index; both sources have them in one order. */
function keysOf(name: LogSource, source: Source, isSearched: boolean): string {
  const { where, at, id } = source;
  return `SELECT '${name}' AS source, ${at} AS at, ${id} AS id
    FROM ${isSearched ? source.searchedFrom : source.from}
    WHERE ${where} AND ${isSearched ? source.found : unsearched} AND ${at} <= $6
      AND (${at} < $6 OR '${name}' > $7 OR ('${name}' = $7 AND ${id} > $8))
    ORDER BY ${at} DESC, ${id} LIMIT $9::bigint + $10::bigint`;
}

interface Statements {
  readonly keys: Statement<LogKey>;
  /** One for each source: both are counted at once. */
  readonly counts: readonly Statement<{ total: number }>[];
}

/**
 * What is searched is planned for its values: a text that is everywhere is found along the time, a
 * rare one by the index of texts.
 */
function statementsOf(
  kind: LogScope['kind'],
  names: readonly LogSource[],
  isSearched: boolean,
): Statements {
  const sources = names.flatMap((name) => {
    const source = sourcesOf[kind][name];
    return source ? [[name, source] as const] : [];
  });
  const keys = sources.map(([name, source]) => `(${keysOf(name, source, isSearched)})`);
  const counts = sources.map(([name, source]) => {
    const { from, searchedFrom, where, found } = source;
    const text = `SELECT count(*) AS total FROM ${isSearched ? searchedFrom : from}
      WHERE ${where} AND ${isSearched ? found : unsearched}`;
    return isSearched
      ? planned<{ total: number }>(text)
      : statement<{ total: number }>(`logs.${kind}_${name}.count`, text);
  });
  const page = `SELECT * FROM (${keys.join(' UNION ALL ')}) AS merged
    ORDER BY at DESC, source, id LIMIT $9 OFFSET $10`;
  const label = `logs.${kind}_${names.join('_')}.keys`;
  return { keys: isSearched ? planned<LogKey>(page) : statement<LogKey>(label, page), counts };
}

const made = new Map<string, Statements>();

function statementsFor({ scope, sources, search }: LogQuery): Statements | null {
  const names = logSources.filter((name) => sources.includes(name) && sourcesOf[scope.kind][name]);
  if (names.length === 0) return null;
  const label = [scope.kind, ...names, search !== null].join();
  const known = made.get(label) ?? statementsOf(scope.kind, names, search !== null);
  made.set(label, known);
  return known;
}

function valuesOf({ scope, search }: LogQuery): unknown[] {
  const whose = whoseOf(scope);
  if (!search) return [...whose, null, null, null];
  const { pattern, text, names } = search;
  if (scope.kind === 'account' || scope.kind === 'app') {
    return [...whose, pattern, text, names.get(scope.accountId) ?? null];
  }
  const known = [...names].filter(([, digests]) => digests !== null);
  return [...whose, pattern, text, JSON.stringify(Object.fromEntries(known))];
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

/** What of the stream is asked for: what comes after a row, or past so many. */
export interface LogWindow {
  readonly limit: number;
  readonly from: LogKey | { readonly offset: number };
}

/** Keys of the rows of a window, both sources in one order. */
export async function listLogKeys(
  on: Queryable,
  query: LogQuery,
  { limit, from }: LogWindow,
): Promise<LogKey[]> {
  const list = statementsFor(query);
  if (!list) return [];
  const { at, source, id } = 'at' in from ? from : fromTheFirst;
  const offset = 'offset' in from ? from.offset : 0;
  return list.keys(on, [...valuesOf(query), at, source, id, limit, offset]);
}

/** How many rows there are, whatever the window. */
export async function countLogs(on: Queryable, query: LogQuery): Promise<number> {
  const counts = statementsFor(query)?.counts ?? [];
  const counted = await Promise.all(counts.map((count) => count(on, valuesOf(query))));
  return counted.reduce((sum, rows) => sum + (firstOf(rows)?.total ?? 0), 0);
}

const meetingsByKey = statement<MeetingRow>(
  'logs.meetings',
  'SELECT * FROM meetings WHERE meeting_key = ANY ($1)',
);
const checkColumns = `link_session_id, account_id, app_id, livemode, status, reason_code, link_uuid,
  poly_user_id, affidavit_status, claims_sealed, consent, redacted_at, created_at, submitted_at,
  decided_at`;

/** A check as far as a log row tells of it. */
export type LoggedCheck = Pick<
  TrustCheckRow,
  | 'link_session_id'
  | 'account_id'
  | 'app_id'
  | 'livemode'
  | 'status'
  | 'reason_code'
  | 'link_uuid'
  | 'poly_user_id'
  | 'affidavit_status'
  | 'claims_sealed'
  | 'consent'
  | 'redacted_at'
  | 'created_at'
  | 'submitted_at'
  | 'decided_at'
> & { readonly title: string | null };

const checksById = statement<LoggedCheck>(
  'logs.trust_checks',
  `SELECT ${checkColumns}, asked->>'title' AS title FROM trust_checks
   WHERE link_session_id = ANY ($1)`,
);

/** The rows of keys, each source by its id. */
export async function findLogged(on: Queryable, keys: readonly LogKey[]) {
  const idsOf = (source: LogSource): string[] =>
    keys.flatMap((key) => (key.source === source ? [key.id] : []));
  const [meetings, checks] = [idsOf('meeting'), idsOf('trust_check')];
  const [foundMeetings, foundChecks] = await Promise.all([
    meetings.length > 0 ? meetingsByKey(on, [meetings]) : [],
    checks.length > 0 ? checksById(on, [checks]) : [],
  ]);
  return {
    meetings: new Map(foundMeetings.map((row) => [row.meeting_key, row])),
    checks: new Map(foundChecks.map((row) => [row.link_session_id, row])),
  };
}

const accountsOf = statement<{ account_id: number }>(
  'logs.accounts_of',
  `SELECT account_id FROM meeting_participants WHERE poly_user_id = $1
   UNION SELECT account_id FROM trust_checks WHERE poly_user_id = $1
   ORDER BY account_id LIMIT $2`,
);

/** In whose logs a person is, at most so many accounts. */
export async function listAccountsOf(
  on: Queryable,
  polyUserId: string,
  limit: number,
): Promise<number[]> {
  return (await accountsOf(on, [polyUserId, limit])).map(({ account_id }) => account_id);
}

const met = statement<{ last_met_at: Date | null; meeting_count: number }>(
  'logs.met',
  `SELECT max(p.joined_at) AS last_met_at, count(p.participant_id)::int AS meeting_count
   FROM unnest($2::text[]) WITH ORDINALITY AS asked (poly_user_id, place)
     LEFT JOIN (meeting_participants p JOIN meetings m
       ON m.meeting_key = p.meeting_key AND m.livemode = $3)
       ON p.poly_user_id = asked.poly_user_id AND p.account_id = $1 AND p.joined_at IS NOT NULL
   GROUP BY place ORDER BY place`,
);

/**
 * When each of these people last joined a meeting of an account, live or in the sandbox, and how
 * many; in their order.
 */
export async function listMet(
  on: Queryable,
  { accountId, livemode }: { readonly accountId: number; readonly livemode: boolean },
  polyUserIds: readonly string[],
): Promise<{ last_met_at: Date | null; meeting_count: number }[]> {
  return met(on, [accountId, polyUserIds, livemode]);
}
