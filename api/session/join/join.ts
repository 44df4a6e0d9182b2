import { nameContext } from '../../../activities/identity/names.ts';
import { derivedId } from '../../../db/ids.ts';
import { insertJoinSession } from '../../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { findNewestMeeting, type MeetingRow } from '../../../db/queries/meetings.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { hashOfToken } from '../../../domain/tokens/email-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import { isMeetingOver } from '../../../workflows/meeting/state.ts';
import type { Deps } from '../../deps.ts';
import { handler, type Input } from '../../http/contract.ts';
import { browserCookie, joinCookie, readBrowserCookie } from '../../http/server/browser-cookie.ts';
import { findLinkOrThrow } from '../../links/find.ts';
import { checkLink, meetingOnPlatformOrThrow } from '../../meetings/enter.ts';
import { readMeetingId } from '../../meetings/find.ts';
import { meetingOfLink, configuredPlatformOrThrow } from '../../meetings/platform.ts';
import { joinContracts } from './contract.ts';
import { presentJoin } from './present.ts';

type JoinDeps = Pick<Deps, 'db' | 'ids' | 'keys' | 'outside' | 'sealer' | 'settings'>;
type JoinBody = Input<typeof joinContracts.join>['body'];

/** How long a join session can wait for the begin of its check. */
const unclaimedMs = 10 * 60_000;
const browserTokenBytes = 32;

/** Creates a join session on a link. Its trust check decides whether it may join. */
export const join = handler(joinContracts.join)(async ({ body, call, seed }, deps: JoinDeps) => {
  const { baseUrl } = deps.settings;
  const link = await findLinkOrThrow(deps, body.link_uuid, undefined);
  const platform = await platformOf(deps, link, body, call.now);
  const browser =
    readBrowserCookie(baseUrl, joinCookie, call.header('cookie')) ??
    deps.ids.bytes(browserTokenBytes).toString('base64url');
  const join_session_id = derivedId('js', seed);
  const context = nameContext({ join_session_id });
  const owner = accountOwner(link.account_id);
  const session = await insertJoinSession(deps.db, {
    join_session_id,
    link_uuid: link.link_uuid,
    account_id: link.account_id,
    participant_id: derivedId('pt', join_session_id),
    display_name_sealed:
      body.display_name === undefined
        ? null
        : await deps.sealer.seal(owner, context, body.display_name),
    platform,
    client: body.client ?? 'web',
    browser_hash: hashOfToken(browser),
    nonce_hash: body.nonce === undefined ? null : hashOfToken(body.nonce),
    created_at: call.now,
    expires_at: new Date(call.now.getTime() + unclaimedMs),
  });
  return {
    status: 200,
    body: await presentJoin(deps, session, link, call.now, body.nonce),
    headers: { 'Set-Cookie': browserCookie(baseUrl, joinCookie, browser) },
  };
});

async function platformOf(deps: JoinDeps, link: LinkRow, body: JoinBody, now: Date) {
  if (link.link_type !== 'meeting') {
    throw new Failure('invalid_state', { detail: `The link is for a ${link.link_type}` });
  }
  const newest = await findNewestMeeting(deps.db, link.link_uuid);
  const meeting = newest && !isMeetingOver(newest.status) ? newest : null;
  checkLink(link, meeting ? ['consumed'] : [], now);
  if (body.meeting_id !== undefined) checkMeeting(meeting, body.meeting_id);
  if (meeting) return meetingOnPlatformOrThrow(meeting, body.platform).platform;
  const planned = meetingOfLink(link).platform;
  if (planned && body.platform && planned !== body.platform) {
    throw new Failure('invalid_state', { detail: `The meeting is on ${planned}` });
  }
  return configuredPlatformOrThrow(deps, planned ?? body.platform);
}

/**
 * Requires that the named meeting is the live one of the link.
 * @throws Failure `not_found`
 */
function checkMeeting(meeting: MeetingRow | null, named: string): void {
  const known = meeting?.meeting_id;
  const bytes = readMeetingId(named);
  if (!known || !bytes?.equals(known)) throw new Failure('not_found');
}
