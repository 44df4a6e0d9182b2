import { timingSafeEqual } from 'node:crypto';
import { keepAnswer } from '../../activities/calendar/flow.ts';
import type { CalendarProvider } from '../../activities/calendar/port.ts';
import { takeCalendarFlow, type CalendarFlowRow } from '../../db/queries/calendar-flows.ts';
import { listLive } from '../../db/queries/credentials.ts';
import { wantedLanguage } from '../../domain/languages/spoken.ts';
import { hashOfToken } from '../../domain/tokens/email-token.ts';
import {
  calendarOAuthWorkflowId,
  completeUpdate,
  type CompleteArgs,
} from '../../workflows/calendar-oauth/messages.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler, type Input } from '../http/contract.ts';
import { prefersPage } from '../http/problem/problem.ts';
import { calendarCookie, endedCookie, readBrowserCookie } from '../http/server/browser-cookie.ts';
import { calendarContracts } from './contract.ts';
import { calendarPage, type CalendarFacts as Ended } from './ended-page.ts';
import { calendarProviderOrThrow } from './provider.ts';
import type { CalendarReason, CalendarResult } from './schemas.ts';

type CallbackDeps = Pick<Deps, 'db' | 'outside' | 'sealer' | 'settings' | 'temporal'>;
type Callback = Input<typeof calendarContracts.callback>;

/**
 * Ends a flow. The flow is taken by its `state` first, so that it ends only once.
 * Then the browser, the expiry and the current rights of the caller are checked. The response has
 * only the service's own texts, none of the provider's.
 */
export const callback = handler(calendarContracts.callback)(async (input, deps: CallbackDeps) => {
  const { query, call } = input;
  const flow =
    query.state === undefined ? null : await takeCalendarFlow(deps.db, hashOfToken(query.state));
  if (!flow) throw new Failure('credential_invalid');
  const provider = calendarProviderOrThrow(deps);
  const ended = flow.expires_at > call.now ? await end(deps, flow, provider, input) : expired;
  const headers = {
    'Set-Cookie': endedCookie(deps.settings.baseUrl, calendarCookie),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  };
  if (flow.return_to !== null) {
    return { status: 302, location: backTo(flow.return_to, ended), headers };
  }
  const page = calendarPage(ended, wantedLanguage([call.header('accept-language')]));
  const vary = 'Accept, Accept-Language';
  const shown = { ...page, headers: { ...page.headers, ...headers, Vary: vary } };
  if (!isRefused(ended)) return { ...shown, status: 200 };
  if (prefersPage(call.header('accept'))) return { ...shown, status: 400 };
  const { status: cal, reason: cal_reason } = ended;
  throw new Failure('calendar_not_connected', { extra: { cal, cal_reason }, headers });
});

const refused: readonly CalendarResult[] = ['denied', 'expired', 'nonce_mismatch'];
const isRefused = ({ status }: Ended): boolean => refused.includes(status);

const expired: Ended = { status: 'expired', reason: null };

async function end(
  deps: CallbackDeps,
  flow: CalendarFlowRow,
  provider: CalendarProvider,
  { query, call }: Callback,
): Promise<Ended> {
  const { baseUrl } = deps.settings;
  const browser = readBrowserCookie(baseUrl, calendarCookie, call.header('cookie'));
  const answer = isSameBrowser(flow, browser)
    ? await judge(deps, flow, provider, query, call.now)
    : ({ answer: 'nonce_mismatch' } as const);
  if (answer.answer === 'code') {
    const { code = '', iss = null } = query;
    await keepAnswer(deps, flow, { code, iss }, call.now);
  }
  return complete(deps, flow.flow_id, answer);
}

function isSameBrowser({ browser_hash: expected }: CalendarFlowRow, value: string | null): boolean {
  return value !== null && timingSafeEqual(expected, hashOfToken(value));
}

/** Judges the provider's response after the flow was verified. */
async function judge(
  { db }: CallbackDeps,
  flow: CalendarFlowRow,
  { issuer }: CalendarProvider,
  { code, error, iss }: Callback['query'],
  now: Date,
): Promise<CompleteArgs> {
  const denied = (reason: CalendarReason) => ({ answer: 'denied', reason }) as const;
  // RFC 9207 §2.4: checked before the response is used.
  if (iss !== undefined && iss !== issuer) return denied('issuer_mismatch');
  if (error !== undefined) {
    return denied(error === 'access_denied' ? 'consent_denied' : 'provider_error');
  }
  if (code === undefined || code === '') return denied('provider_error');
  // A connection is permanent, so a cached result about the session is not enough.
  return (await isStillAllowed(db, flow, now)) ? { answer: 'code' } : denied('role_required');
}

async function isStillAllowed(
  db: Deps['db'],
  { started_by: by }: CalendarFlowRow,
  now: Date,
): Promise<boolean> {
  const live =
    by.kind === 'api-key'
      ? await listLive(db, [{ keyId: by.key_id, roles: by.roles }], [], now)
      : await listLive(db, [], [sessionOwnerOf(by)], now);
  return live.size > 0;
}

function sessionOwnerOf(by: Extract<CalendarFlowRow['started_by'], { kind: 'session' }>) {
  const { sid, account_id: accountId, roles, provider } = by;
  return { sid, accountId, roles, provider: provider ?? undefined };
}

/**
 * Signals the workflow and returns how the flow ends. While the provider or Temporal is slow, the
 * result is still pending.
 */
async function complete(
  { temporal }: CallbackDeps,
  flowId: string,
  args: CompleteArgs,
): Promise<Ended> {
  const id = calendarOAuthWorkflowId(flowId);
  try {
    return await temporal.update(id, completeUpdate, [args], `complete/${flowId}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'invalid_state') return expired;
    if (error.code !== 'dependency_unavailable') throw error;
    if (args.answer === 'code') return { status: 'pending', reason: null };
    const reason = args.answer === 'denied' ? args.reason : null;
    return { status: args.answer, reason };
  }
}

/** Adds `cal` and `cal_reason`, which have the service's own values only. */
function backTo(returnTo: string, { status, reason }: Ended): string {
  const url = new URL(returnTo);
  url.searchParams.set('cal', status);
  if (reason) url.searchParams.set('cal_reason', reason);
  else url.searchParams.delete('cal_reason');
  return url.href;
}
