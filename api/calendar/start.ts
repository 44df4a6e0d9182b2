import { calendarFlowMs, sealFlow } from '../../activities/calendar/flow.ts';
import { startOfCalendarFlow } from '../../activities/calendar/start.ts';
import { newChallenge } from '../../activities/identity/sso/consent.ts';
import { addCalendarFlow } from '../../db/queries/calendar-flows.ts';
import type { CalendarStarter } from '../../db/schema/calendar.ts';
import { hasRole } from '../../domain/names.ts';
import { hashOfToken } from '../../domain/tokens/email-token.ts';
import { Failure } from '../../workflows/failures.ts';
import { enterAccount } from '../accounts/access/enter.ts';
import type { Deps } from '../deps.ts';
import { handler, type Input } from '../http/contract.ts';
import { browserCookie, calendarCookie } from '../http/server/browser-cookie.ts';
import { calendarContracts } from './contract.ts';
import { calendarProviderOrThrow } from './provider.ts';
import { assertReturnTo } from './return-to.ts';

type StartDeps = Pick<Deps, 'db' | 'ids' | 'outside' | 'sealer' | 'settings' | 'temporal'>;
type Start = Input<typeof calendarContracts.start>;

const browserBytes = 32;

/**
 * Begins a flow: its row, its workflow, and a cookie that the callback requires.
 * The secrets for provider and browser are stored only as digests, or sealed.
 */
export const start = handler(calendarContracts.start)(async (input, deps: StartDeps) => {
  const { query, call, caller } = input;
  const accountId = query.account_id ?? caller.accountId;
  if (accountId === null) throw new Failure('account_required');
  await enterAccount(deps, input, accountId);
  assertIntentAllowed(input);
  const returnTo =
    query.return_to === undefined ? null : await assertReturnTo(deps, accountId, query.return_to);
  const provider = calendarProviderOrThrow(deps);
  const { state, ...challenge } = newChallenge(deps.ids);
  const browser = deps.ids.bytes(browserBytes).toString('base64url');
  const { intent, shared } = query;
  // Requested before anything is stored, so that an unavailable provider leaves no flow.
  const authorize_url = await provider.authorizeUrl({ ...challenge, state, intent });
  const flow = { flow_id: deps.ids.make('cf'), account_id: shared ? null : accountId };
  const expiresAt = new Date(call.now.getTime() + calendarFlowMs);
  await addCalendarFlow(deps.db, {
    ...flow,
    intent,
    state_hash: hashOfToken(state),
    browser_hash: hashOfToken(browser),
    started_by: starterOf(caller),
    secrets_sealed: await sealFlow(deps.sealer, flow, challenge),
    return_to: returnTo,
    created_at: call.now,
    expires_at: expiresAt,
  });
  await deps.temporal.start('calendarOAuth', startOfCalendarFlow(flow));
  return {
    status: 200,
    body: { authorize_url, expires_at: expiresAt.toISOString() },
    headers: { 'Set-Cookie': browserCookie(deps.settings.baseUrl, calendarCookie, browser) },
  };
});

/**
 * Checks who may connect: a person their own calendar, an ADMIN an account's routing address, a
 * POLYADMIN a shared one.
 * @throws Failure `session_required`, `role_required`
 */
function assertIntentAllowed({ query: { intent, shared }, caller }: Start): void {
  if (intent === 'organizer' && caller.kind !== 'session') throw new Failure('session_required');
  if (shared || intent === 'routing') {
    const needed = shared ? 'POLYADMIN' : 'ADMIN';
    if (!hasRole(caller.roles, needed)) throw new Failure('role_required');
  }
}

function starterOf(caller: Start['caller']): CalendarStarter {
  const { roles } = caller;
  if (caller.kind === 'api-key') return { kind: 'api-key', key_id: caller.keyId, roles };
  const { polyUserId: poly_user_id, sid, accountId: account_id, provider = null } = caller;
  return { kind: 'session', poly_user_id, sid, account_id, roles, provider };
}
