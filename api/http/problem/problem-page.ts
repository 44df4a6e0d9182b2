import { html, nothing } from '../html/markup.ts';
import { pageOf, type Page } from '../html/page.ts';

/** A fault as its page shows it. */
interface ProblemFacts {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly requestId: string;
}

/** A fault for a person who has opened an address: what it is, and what to do about it. */
export function problemPage({ status, title, code, requestId }: ProblemFacts): Page {
  const isMissing = status === 404;
  const heading = isMissing ? 'There is nothing here' : title;
  const advice = isMissing
    ? 'The address may be incomplete, or what it led to has been removed. Open the link again as ' +
      'a whole, or ask whoever sent it to you for a new one.'
    : status >= 500
      ? 'This is our fault or that of something we depend on. Please try again in a moment.'
      : 'The request cannot be answered as it is.';
  const body = html`<main>
    <div class="sheet">
      <p class="soft small">${status}</p>
      <h1>${heading}</h1>
      <p>${advice}</p>
      ${status >= 500 ? html`<p><a class="button" href="">Try again</a></p>` : nothing}
      <p class="soft small">
        Code <a href="/docs/errors/${code}">${code}</a>, request <code>${requestId}</code>
      </p>
    </div>
  </main>`;
  return pageOf({ title: heading, body, style });
}

const style = 'main{max-width:40rem;padding-block-start:12vh}';
