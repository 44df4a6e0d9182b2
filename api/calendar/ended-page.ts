import type { Language } from '../../domain/languages/languages.ts';
import { say, type Phrase } from '../../domain/languages/say.ts';
import { html, nothing } from '../http/html/markup.ts';
import { pageOf, type Page } from '../http/html/page.ts';
import type { CalendarReason, CalendarResult } from './schemas.ts';

/** The result of connecting a calendar. */
export interface CalendarFacts {
  readonly status: CalendarResult;
  readonly reason: CalendarReason | null;
}

/** Texts by result: the heading, and the advice where no reason has its own. */
const words: Readonly<Record<CalendarResult, readonly [heading: Phrase, next?: Phrase]>> = {
  started: ['ended.pending'],
  awaiting_consent: ['ended.pending'],
  exchanging: ['ended.pending'],
  pending: ['ended.pending', 'ended.pending_next'],
  connected: ['ended.connected', 'ended.connected_next'],
  denied: ['ended.denied'],
  expired: ['ended.expired', 'ended.expired_next'],
  nonce_mismatch: ['ended.other_browser', 'ended.other_browser_next'],
};

/** Renders the final page of a flow without a return address. */
export function calendarPage({ status, reason }: CalendarFacts, language: Language): Page {
  const [heading, advice] = words[status];
  const next: Phrase | undefined = reason ? `ended.reason.${reason}` : advice;
  const title = say(language, heading);
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      ${next ? html`<p>${say(language, next)}</p>` : nothing}
    </div>
  </main>`;
  return pageOf({ title, language, body });
}
