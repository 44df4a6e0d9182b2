import {
  findJoinSession,
  listJoinSessions,
  type JoinSessionRow,
} from '../../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { hashOfToken } from '../../../domain/tokens/email-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler, type Input } from '../../http/contract.ts';
import { joinCookie, readBrowserCookie } from '../../http/server/browser-cookie.ts';
import { findLinkOrThrow } from '../../links/find.ts';
import { standingsOf } from '../../meetings/join-state.ts';
import { joinContracts } from './contract.ts';
import { presentJoin } from './present.ts';

type JoinedInput = Input<typeof joinContracts.joined>;
type JoinedDeps = Pick<Deps, 'db' | 'keys' | 'sealer' | 'settings'>;

const lookedAtMax = 20;
const closed = new Set(['joined', 'denied', 'expired', 'canceled']);

/**
 * Returns the caller's join session on a link: of their token, else the newest open one of the
 * browser.
 */
export const joined = handler(joinContracts.joined)(async (input, deps: JoinedDeps) => {
  const { query, caller, call } = input;
  const link = await findLinkOrThrow(deps, query.link_uuid, undefined);
  const session =
    caller.kind === 'join-token'
      ? await findJoinSession(deps.db, caller.joinSessionId)
      : await openOfBrowser(deps, link, call);
  if (session?.link_uuid !== link.link_uuid) throw new Failure('not_found');
  return { status: 200, body: await presentJoin(deps, session, link, call.now) };
});

async function openOfBrowser(
  deps: JoinedDeps,
  link: LinkRow,
  call: JoinedInput['call'],
): Promise<JoinSessionRow | null> {
  const browser = readBrowserCookie(deps.settings.baseUrl, joinCookie, call.header('cookie'));
  if (browser === null) return null;
  const hash = hashOfToken(browser);
  const rows = await listJoinSessions(deps.db, hash, link.link_uuid, lookedAtMax);
  const ids = rows.map(({ join_session_id: id }) => id);
  const standings = await standingsOf(deps, ids, call.now);
  const isOpen = ({ join_session_id: id }: JoinSessionRow): boolean =>
    !closed.has(standings.get(id)?.state ?? 'expired');
  return rows.find(isOpen) ?? null;
}
