import { html } from '../http/html/markup.ts';
import { pageOf, type Page } from '../http/html/page.ts';
import type { CalendarReason, CalendarResult } from './schemas.ts';

/** How the connecting of a calendar has ended. */
export interface CalendarFacts {
  readonly status: CalendarResult;
  readonly reason: CalendarReason | null;
}

/** Headings by how a flow has ended; what is under way has not ended. */
const headings: Readonly<Record<CalendarFacts['status'], string>> = {
  started: 'The calendar is being connected',
  awaiting_consent: 'The calendar is being connected',
  exchanging: 'The calendar is being connected',
  pending: 'The calendar is being connected',
  connected: 'The calendar is connected',
  denied: 'The calendar was not connected',
  expired: 'That took too long',
  nonce_mismatch: 'This is another browser',
};

const advice: Readonly<Partial<Record<CalendarFacts['status'], string>>> = {
  pending: 'The provider is taking its time. It will be there without your doing.',
  connected: 'You can close this page.',
  expired: 'Nothing was connected. Begin again where you have begun.',
  nonce_mismatch: 'Nothing was connected. Begin and end it in one and the same browser.',
};

const reasons: Readonly<Record<NonNullable<CalendarFacts['reason']>, string>> = {
  consent_denied: 'Consent was not given.',
  provider_error: 'The calendar provider has answered with a fault.',
  issuer_mismatch: 'Another provider has answered than the one that was asked.',
  role_required: 'You may not connect it any more. Sign in again, or ask an administrator.',
  grant_refused: 'The calendar provider has refused. Begin again where you have begun.',
  address_unverified: 'The provider does not vouch for the address of the calendar.',
  refresh_token_missing: 'The provider gave no lasting access. Remove ours there and begin again.',
  connected_elsewhere: 'The calendar is connected by somebody else already.',
  provider_unavailable: 'The calendar provider does not answer. Please try again later.',
};

/** Where a browser ends that nobody waits for. */
export function calendarPage({ status, reason }: CalendarFacts): Page {
  const title = headings[status];
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p>${reason ? reasons[reason] : (advice[status] ?? '')}</p>
    </div>
  </main>`;
  return pageOf({ title, body });
}
