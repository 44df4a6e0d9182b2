import { openName, soughtDigests } from '../../activities/identity/names.ts';
import { createClaimsOpener } from '../../activities/trust-checks/claims.ts';
import type { LoggedRow, LogKey, LogScope } from '../../db/queries/log-sources.ts';
import {
  countLogs,
  listAccountsOf,
  listLogged,
  type LogQuery,
  type LogSearch,
} from '../../db/queries/logs.ts';
import { isPlayed } from '../../db/queries/meeting-event.ts';
import { openLinkText, soughtWords } from '../../db/sealing/link-texts.ts';
import { logSources } from '../../domain/names.ts';
import type { Deps } from '../deps.ts';
import type { Input } from '../http/contract.ts';
import {
  limitAndOffset,
  longPageSize,
  pageOf,
  patternOf,
  readCursor,
  refuseCursor,
  writeCursor,
} from '../http/fields/paging.ts';
import { isReasonWithheld } from '../running-checks/subject-view.ts';
import type { LogRow } from './schemas.ts';
import type { streamContracts } from './stream-contracts.ts';

export type ListDeps = Pick<Deps, 'db' | 'sealer'>;
type Query = Input<typeof streamContracts.me>['query'];

/** Maximum of accounts searched by name for one person. Few people are in more. */
const accountsMax = 100;
/** Prefix of a row's id in a cursor: one letter for the source. */
const letters = { meeting: 'm', trust_check: 't' } as const;

/**
 * Returns one page of a log stream. Selects rows by key through the index of each source, and reads
 * only the rows of the page. It does not search past the last row.
 */
export async function listLogs(
  deps: ListDeps,
  { scope, livemode }: Pick<LogQuery, 'scope' | 'livemode'>,
  query: Query,
) {
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  const after = cursor && { ...keyOf(cursor.id), at: cursor.at };
  const page_size = longPageSize(query.page_size);
  const page = cursor?.page ?? query.page;
  const [limit, offset] = limitAndOffset({ page, page_size });
  const search = query.search ? await searchOf(deps, scope, query.search) : null;
  const asked: LogQuery = { scope, livemode, sources: query.log_types ?? logSources, search };
  const total = cursor?.total ?? countLogs(deps.db, asked);
  // A far or searched page is read only after the total shows that it exists.
  const isSure = after !== null || (page === 1 && search === null);
  const isThere = isSure || offset < (await total);
  // Reads one more row than the page, to see whether another page follows.
  const window = { limit: limit + 1, from: after ?? { offset } };
  const [found, counted] = await Promise.all([
    isThere ? listLogged(deps.db, asked, window) : [],
    total,
  ]);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const items = await present(deps, shown, scope);
  const next_cursor = last
    ? writeCursor({
        at: last.at,
        id: letters[last.source] + last.id,
        page: page + 1,
        total: counted,
      })
    : null;
  return {
    status: 200,
    body: { ...pageOf(items, counted, { page, page_size }), next_cursor },
  } as const;
}

function keyOf(text: string): Pick<LogKey, 'source' | 'id'> {
  const source = logSources.find((name) => letters[name] === text[0]);
  return source ? { source, id: text.slice(1) } : refuseCursor();
}

async function searchOf(
  { db, sealer }: ListDeps,
  scope: LogScope,
  text: string,
): Promise<LogSearch> {
  const accounts =
    'accountId' in scope
      ? [scope.accountId]
      : await listAccountsOf(db, scope.polyUserId, accountsMax);
  const names = new Map(accounts.map((id) => [id, soughtDigests(sealer, id, text)]));
  const words = new Map(accounts.map((id) => [id, soughtWords(sealer, id, text)]));
  return { pattern: patternOf(text), text, names, words };
}

/** Returns rows in their order, with names opened. */
async function present(
  deps: ListDeps,
  rows: readonly LoggedRow[],
  { kind }: LogScope,
): Promise<LogRow[]> {
  const nameOf = createClaimsOpener(deps.sealer);
  return Promise.all(
    rows.map(async (row): Promise<LogRow> => {
      if (row.source === 'meeting') return presentMeeting(deps, row);
      // The person reads their own rows, and a name would reveal that a document passed.
      const isWithheld = kind === 'everywhere' && isReasonWithheld(row);
      if (isWithheld) return { ...(await presentCheck(deps, row, null)), reason_code: null };
      const { full_name } = await nameOf({ ...row, link_session_id: row.id });
      return presentCheck(deps, row, full_name ?? null);
    }),
  );
}

type Logged<Source extends LoggedRow['source']> = Extract<LoggedRow, { source: Source }>;

/** Returns the members that rows of every source have. */
function presentShared(row: LoggedRow, title: string | null) {
  return {
    source: row.source,
    id: row.id,
    occurred_at: row.at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    account_id: row.account_id,
    livemode: row.livemode,
    title,
    status: row.status,
    link_uuid: row.link_uuid,
    reason_code: row.reason_code,
  };
}

async function presentMeeting({ sealer }: ListDeps, row: Logged<'meeting'>): Promise<LogRow> {
  const { account_id, id: meeting_key } = row;
  const [host_name, user_name] = await Promise.all([
    openName(sealer, account_id, { meeting_key, as: 'host' }, row.host_name_sealed),
    openName(sealer, account_id, { meeting_key, as: 'user' }, row.user_name_sealed),
  ]);
  return {
    ...presentShared(row, row.topic),
    livemode: !isPlayed(row),
    app_id: null,
    platform: row.platform,
    meeting_id: row.meeting_id?.toString('base64url') ?? null,
    organization: row.organization,
    host_name,
    user_name,
    participant_count: row.participant_count,
    verified_count: row.verified_count,
    poly_user_id: null,
    affidavit_available: null,
  };
}

async function presentCheck(
  { sealer }: ListDeps,
  row: Logged<'trust_check'>,
  user_name: string | null,
): Promise<LogRow> {
  return {
    ...presentShared(row, await openLinkText(sealer, row, 'title', row.title_sealed)),
    app_id: row.app_id,
    platform: null,
    meeting_id: null,
    organization: null,
    host_name: null,
    user_name,
    participant_count: null,
    verified_count: null,
    poly_user_id: row.poly_user_id,
    affidavit_available: row.affidavit_status === 'available',
  };
}
