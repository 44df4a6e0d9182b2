import type { Language } from '../../../domain/languages/languages.ts';
import { say, type Phrase } from '../../../domain/languages/say.ts';
import type { FailureCode } from '../../../workflows/failures.ts';
import { html, nothing } from '../html/markup.ts';
import { pageOf, type Page } from '../html/page.ts';

/** A failure for its page; title and detail are English. */
interface ProblemFacts {
  readonly status: number;
  readonly title: string;
  readonly detail: string | null;
  readonly code: FailureCode;
  readonly requestId: string;
  readonly language: Language;
}

/** What happened, and what to do next. */
type Words = readonly [happened: Phrase, next: Phrase];

const signedOut: Words = ['problem.signed_out', 'problem.signed_out_next'];
const ours: Words = ['problem.fault', 'problem.fault_next'];
const unavailable: Words = ['check.stuck.other', 'check.stuck_next.other'];
const refused: Words = ['problem.refused', 'problem.refused_next'];

const wordsOfCode: Readonly<Partial<Record<FailureCode, Words>>> = {
  credential_malformed: signedOut,
  credential_missing: signedOut,
  credential_expired: ['problem.ended', 'problem.ended_next'],
  credential_invalid: ['problem.ended', 'problem.ended_next'],
};

const wordsOfStatus: Readonly<Record<number, Words>> = {
  403: ['problem.forbidden', 'problem.forbidden_next'],
  404: ['problem.missing', 'problem.missing_next'],
  410: ['problem.removed', 'problem.removed_next'],
  421: ['problem.host', 'problem.host_next'],
  429: ['check.stuck.rate_limited', 'check.stuck_next.rate_limited'],
  500: ours,
  503: unavailable,
};

/** Renders the error page for a person who has opened an address in a browser. */
export function problemPage({ code, requestId, language, ...fault }: ProblemFacts): Page {
  const words = wordsOfCode[code] ?? wordsOfStatus[fault.status] ?? refused;
  const [happened, next] = words;
  const title = say(language, happened);
  const again = html`<p><a class="button" href="">${say(language, 'check.again')}</a></p>`;
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p>${say(language, next)}</p>
      ${words === refused ? html`<p lang="en" dir="ltr">${reasonOf(fault)}</p>` : nothing}
      ${fault.status >= 500 ? again : nothing}
      <p class="soft small">
        ${say(language, 'check.reference')} <code dir="ltr">${requestId}</code> ·
        <a href="/docs/errors/${code}" dir="ltr">${code}</a>
      </p>
    </div>
  </main>`;
  return pageOf({ title, language, body });
}

const reasonOf = ({ title, detail }: Pick<ProblemFacts, 'title' | 'detail'>): string =>
  detail === null ? `${title}.` : `${title}. ${detail}`;
