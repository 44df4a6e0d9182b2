import type { Language } from '../../../../domain/languages/languages.ts';
import { say } from '../../../../domain/languages/say.ts';
import { html, type Markup } from '../../../http/html/markup.ts';
import { pageOf, type Page } from '../../../http/html/page.ts';
import { tokenColor } from '../../../http/html/style.ts';
import type { SuccessBody } from '../../schemas.ts';

/**
 * Renders the final page: the check is complete, and the requester learns the outcome.
 * @param logo path of the logo of the app
 */
export function successPage(shown: SuccessBody, logo: string | null, language: Language): Page {
  const { requester, app } = shown;
  const title = say(language, 'success.title');
  const names = { account: requester.account_name, app: app.name };
  const body = html`<main>
    ${asker(shown, logo, language)}
    <div class="sheet">
      <p class="picture">${tick}</p>
      <h1>${title}</h1>
      <p class="lead">${say(language, 'success.lead', names)}</p>
      <p class="soft small">${say(language, 'success.proves')}</p>
    </div>
  </main>`;
  const hasImage = logo !== null;
  return pageOf({ title: `${title} · ${app.name}`, language, body, style, hasImage });
}

/** Renders the requester like the page of a link: the app first, then the account. */
function asker({ requester, app }: SuccessBody, logo: string | null, language: Language): Markup {
  const phrase = requester.verified ? 'check.asker.verified' : 'check.asker.unverified';
  const [initial = ''] = app.name;
  const mark =
    logo === null
      ? html`<span class="mark" aria-hidden="true">${initial.toUpperCase()}</span>`
      : html`<img class="logo" src="${logo}" alt="" width="44" height="44" />`;
  return html`<header class="asker">
    ${mark}
    <p>
      <bdi class="who">${app.name}</bdi>
      <span class="soft small">${say(language, phrase, { account: requester.account_name })}</span>
    </p>
  </header>`;
}

const style = '.picture{color:var(--good)}';

/** The icon that the page of a link shows for a passed check. */
const tick = html`<svg
  width="48"
  height="48"
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2"
  stroke-linecap="round"
  stroke-linejoin="round"
  aria-hidden="true"
>
  <circle cx="12" cy="12" r="10" />
  <path d="m9 12 2 2 4-4" />
</svg>`;

/** Renders the final page as one self-contained SVG: a tick, with the requester as its title. */
export function successCard({ requester, app }: SuccessBody, language: Language): Page {
  const title = [say(language, 'success.title'), app.name, requester.account_name].join(' · ');
  const { markup } = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 64 64"
    role="img"
    lang="${language}"
  >
    <title>${title}</title>
    <circle cx="32" cy="32" r="30" fill="${tokenColor('good')}" />
    <path d="M18 33l10 10 19-21" fill="none" stroke="${tokenColor('sheet')}" stroke-width="6" />
  </svg>`;
  return {
    type: 'image/svg+xml; charset=utf-8',
    content: markup,
    headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" },
  };
}
