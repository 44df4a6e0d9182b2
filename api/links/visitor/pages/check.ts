import { parseMessage } from '../../../../domain/languages/format.ts';
import type { Language } from '../../../../domain/languages/languages.ts';
import { catalogs } from '../../../../domain/languages/say.ts';
import { brandStyle } from '../../../http/html/brand.ts';
import { builtModule, builtScript } from '../../../http/html/built.ts';
import { html, nothing, type Markup } from '../../../http/html/markup.ts';
import { pageOf, type Page } from '../../../http/html/page.ts';
import { qrMarkup } from './card.ts';
import type { CheckFacts, CheckPhrase, CheckRenderer } from './check-facts.ts';

/**
 * Renders the page of a link on the server; its script then takes over. Without script it shows the
 * request, and on a computer the code to scan.
 */
export async function checkPage(given: Omit<CheckFacts, 'phrases'>): Promise<Page> {
  const facts = { ...given, phrases: phrasesOf(given.language) };
  const { renderCheck, checkStyle } = await builtModule<CheckRenderer>('check');
  const name = catalogs[facts.language]['check.welcome.title'];
  const rendered: Markup = { markup: renderCheck(facts) };
  // Named, because the page around a frame has a main element too.
  const main = html`<main aria-label="${name}">${rendered}</main>`;
  return pageOf({
    title: `${facts.title ?? name} · ${facts.app}`,
    language: facts.language,
    body: html`${main} ${facts.isActionable ? withoutScript(facts) : nothing}`,
    style: facts.brandColor ? checkStyle + brandStyle(facts.brandColor) : checkStyle,
    facts,
    hasImage: facts.logo !== null,
    framedBy: facts.hosts,
    script: { source: builtScript('check'), data: {} },
    headers: { 'Permissions-Policy': 'camera=(self), microphone=()' },
  });
}

const phrases = new Map<Language, CheckFacts['phrases']>();
const isCheckPhrase = (name: string): name is CheckPhrase => name.startsWith('check.');

export function phrasesOf(language: Language): CheckFacts['phrases'] {
  const known = phrases.get(language);
  if (known) return known;
  const parsed = Object.entries(catalogs[language])
    .filter(([name]) => isCheckPhrase(name))
    .map(([name, message]) => [name, parseMessage(message, language)]);
  const made = Object.fromEntries(parsed) as CheckFacts['phrases'];
  phrases.set(language, made);
  return made;
}

/**
 * Renders the content without script. It omits the QR code of a mailed link, because only the
 * person's full address has the token. It omits the code on a phone, which cannot scan its own
 * screen.
 */
function withoutScript(facts: Omit<CheckFacts, 'phrases'>): Markup {
  const { language, url, isEmailed, isPhone, isWebAllowed } = facts;
  if (isPhone && !isWebAllowed) return nothing;
  const catalog = catalogs[language];
  const written = isEmailed ? 'check.welcome.script_emailed' : 'check.welcome.script';
  const code = html`<div id="code">${qrMarkup(url, catalog['check.scan.code'])}</div>`;
  return html`<noscript>
    <div class="script sheet">
      <p>${catalog[isPhone ? 'check.welcome.script_phone' : written]}</p>
      ${isEmailed || isPhone ? nothing : code}
    </div>
  </noscript>`;
}
